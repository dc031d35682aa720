import { Command } from "commander";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { printResult } from "../with-domains.ts";

/** `kanalog sample`: the sample channels, which the first start loads. */
export function sampleCommand(context: CommandContext): Command {
  const command = new Command("sample").description(
    "the sample channels that the first start loads",
  );
  command
    .command("remove")
    .description("remove them with their posts and statistics; those that an import changed stay")
    .addOption(jsonOption())
    .action((options: AsJson) =>
      printResult(context, options, async ({ sample }) => ({
        removed: await sample.remove(COMMAND_LINE),
      })),
    );
  return command;
}
