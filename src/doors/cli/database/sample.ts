import { Command } from "commander";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { printResult } from "../with-domains.ts";

/** `kanalog sample`: the shipped channels, which the first start loads. */
export function sampleCommand(context: CommandContext): Command {
  const command = new Command("sample").description("the sample channels that ship");
  command
    .command("remove")
    .description("remove them with their posts and statistics; those that you changed stay")
    .addOption(jsonOption())
    .action((options: AsJson) =>
      printResult(context, options, async ({ sample }) => ({
        removed: await sample.remove(COMMAND_LINE),
      })),
    );
  return command;
}
