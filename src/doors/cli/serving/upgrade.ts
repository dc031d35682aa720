import { Command } from "commander";
import { version } from "../../../../package.json";
import { readConfig } from "../../../config.ts";
import { findRelease, upgrade } from "../../../upkeep/upgrade/upgrade.ts";
import type { AsJson, CommandContext } from "../command-context.ts";
import { CommandExit, EXIT_FAILED, EXIT_USAGE, jsonOption } from "../command-context.ts";
import { printObject } from "../print.ts";
import { requireFile } from "../with-domains.ts";

/** `kanalog upgrade`: replaces the executable by a newer one, from where the operator says and nowhere else. */
export function upgradeCommand(context: CommandContext): Command {
  const { output } = context;
  return new Command("upgrade")
    .description("replace this executable by the newest release in a folder or at an https address")
    .requiredOption("--from <place>", "folder or https address that has SHA256SUMS and the files")
    .option("--check", "only say whether there is a newer one", false)
    .addOption(jsonOption())
    .action(async ({ from, check, json }: AsJson & { from: string; check: boolean }) => {
      try {
        const release = await findRelease(from);
        if (release === null) throw new Error(`${from} has no executable for this machine`);
        const isNewer = Bun.semver.order(release.version, version) > 0;
        const found = { version, newest: release.version };
        if (check || !isNewer) return printObject(output, { ...found, newer: isNewer }, json);
        const config = readConfig(context.environment);
        requireFile(config);
        if (!Bun.isStandaloneExecutable) {
          const others = "with npm, run npm install kanalog@latest; in a clone, git pull";
          throw new CommandExit(EXIT_USAGE, `Only an executable upgrades itself: ${others}.`);
        }
        const { clock } = context.ports(config);
        const path = process.execPath;
        const done = await upgrade(path, config.databasePath, { from, release }, clock);
        printObject(output, { ...found, ...done }, json);
        output.note("Restart the service now: the running one is still the previous version.");
      } catch (error) {
        if (error instanceof CommandExit) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        throw new CommandExit(EXIT_FAILED, `Not upgraded, nothing was changed: ${reason}.`);
      }
    });
}
