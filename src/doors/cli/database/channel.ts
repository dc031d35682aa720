import { Command, Option } from "commander";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { confirm } from "../confirm.ts";
import { printResult, withDomains } from "../with-domains.ts";
import { contentsOf, describe, nameOf, printChannels, watchersOf } from "./channel-text.ts";

const NAME = "its number, @handle, link or messenger id";

interface Asking extends AsJson {
  yes?: boolean;
}

/** `kanalog channel`: the catalog's channels, public or not. */
export function channelCommand(context: CommandContext): Command {
  const command = new Command("channel").description("the catalog's channels, public or not");
  const { output } = context;
  const yesOption = () => new Option("--yes", "do it without asking");

  command
    .command("show")
    .description("a channel, and how much there is of it")
    .argument("<channel>", NAME)
    .addOption(jsonOption())
    .action((name: string, options: AsJson) =>
      printResult(context, options, ({ channels }) => describe(channels.channel(name))),
    );

  command
    .command("list")
    .description("all channels by number, one a line")
    .addOption(jsonOption())
    .action(({ json }: AsJson) =>
      withDomains(context, ({ channels }) => printChannels(output, channels, json)),
    );

  for (const [verb, isPublic, description] of [
    ["hide", false, "take a channel out of all that is answered; nothing of it is lost"],
    ["unhide", true, "show a hidden channel again"],
  ] as const) {
    command
      .command(verb)
      .description(description)
      .argument("<channel>", NAME)
      .addOption(jsonOption())
      .action((name: string, options: AsJson) =>
        printResult(context, options, async ({ channels }) => {
          const { id } = channels.channel(name);
          await channels.setPublic(id, isPublic, COMMAND_LINE);
          return describe(channels.channel(String(id)));
        }),
      );
  }

  command
    .command("delete")
    .description("remove a channel with its posts and statistics; its number is not given again")
    .argument("<channel>", NAME)
    .addOption(yesOption())
    .addOption(jsonOption())
    .action((name: string, { yes, json }: Asking) =>
      printResult(context, { json }, async ({ channels }) => {
        const channel = channels.channel(name);
        await confirm(
          output,
          `This deletes ${nameOf(channel)} with ${contentsOf(channel)}; ` +
            `${watchersOf(channel)}. It cannot be undone.`,
          yes === true,
        );
        await channels.delete(channel.id, COMMAND_LINE);
        return { deleted: channel.id };
      }),
    );

  command
    .command("merge")
    .description("give all that a channel has to another, which stays; FROM's number is gone")
    .argument("<from>", NAME)
    .argument("<into>", "the channel that stays, named likewise")
    .addOption(yesOption())
    .addOption(jsonOption())
    .action((fromName: string, intoName: string, { yes, json }: Asking) =>
      printResult(context, { json }, async ({ channels }) => {
        const [from, into] = [channels.channel(fromName), channels.channel(intoName)];
        await confirm(
          output,
          `This gives ${contentsOf(from)} of ${nameOf(from)} to ${nameOf(into)}, with its handles; ` +
            `${watchersOf(from)}. Number ${from.id} is gone then. It cannot be undone.`,
          yes === true,
        );
        await channels.merge(from.id, into.id, COMMAND_LINE);
        return describe(channels.channel(String(into.id)));
      }),
    );
  return command;
}
