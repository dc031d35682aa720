import { Command } from "commander";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { type AsJson, jsonOption } from "../arguments.ts";
import type { CommandContext } from "../command-context.ts";
import { confirm } from "../confirm.ts";
import { printResult, withDomains } from "../with-domains.ts";
import { contentsOf, describe, nameOf, printChannels, watchersOf } from "./channel-text.ts";

const NAME = "its number, @handle, link or messenger id";

interface RemovalOptions extends AsJson {
  yes?: boolean;
}

/** `kanalog channel`: the catalog's channels, public or not. */
export function channelCommand(context: CommandContext): Command {
  return new Command("channel")
    .description("the catalog's channels, public or not")
    .addCommand(showCommand(context))
    .addCommand(listCommand(context))
    .addCommand(
      visibilityCommand(context, "hide", "hide a channel from all answers; its data is kept"),
    )
    .addCommand(visibilityCommand(context, "unhide", "show a hidden channel again"))
    .addCommand(deleteCommand(context))
    .addCommand(mergeCommand(context));
}

function showCommand(context: CommandContext): Command {
  return new Command("show")
    .description("show a channel, and how many posts and days it has")
    .argument("<channel>", NAME)
    .addOption(jsonOption())
    .action((name: string, options: AsJson) =>
      printResult(context, options, ({ channels }) => describe(channels.channel(name))),
    );
}

function listCommand(context: CommandContext): Command {
  return new Command("list")
    .description("list all channels by number, one per line")
    .addOption(jsonOption())
    .action(({ json }: AsJson) =>
      withDomains(context, ({ channels }) => printChannels(context.output, channels, json)),
    );
}

function visibilityCommand(
  context: CommandContext,
  verb: "hide" | "unhide",
  description: string,
): Command {
  return new Command(verb)
    .description(description)
    .argument("<channel>", NAME)
    .addOption(jsonOption())
    .action((name: string, options: AsJson) =>
      printResult(context, options, async ({ channels }) => {
        const { id } = channels.channel(name);
        await channels.setPublic(id, verb === "unhide", COMMAND_LINE);
        return describe(channels.numbered(id));
      }),
    );
}

function deleteCommand(context: CommandContext): Command {
  return new Command("delete")
    .description("delete a channel with its posts and statistics; its number is not used again")
    .argument("<channel>", NAME)
    .option("--yes", "do not ask for confirmation")
    .addOption(jsonOption())
    .action((name: string, { yes, json }: RemovalOptions) =>
      printResult(context, { json }, async ({ channels }) => {
        const channel = channels.channel(name);
        await confirm(
          context.output,
          `This deletes ${nameOf(channel)} with ${contentsOf(channel)}; ` +
            `${watchersOf(channel)}. It cannot be undone.`,
          yes === true,
        );
        await channels.delete(channel.id, COMMAND_LINE);
        return { deleted: channel.id };
      }),
    );
}

function mergeCommand(context: CommandContext): Command {
  return new Command("merge")
    .description("move all data of a channel to another one, and delete the first")
    .argument("<from>", NAME)
    .argument("<into>", "the channel that stays, named in the same ways")
    .option("--yes", "do not ask for confirmation")
    .addOption(jsonOption())
    .action((fromName: string, intoName: string, { yes, json }: RemovalOptions) =>
      printResult(context, { json }, async ({ channels }) => {
        const from = channels.channel(fromName);
        const into = channels.channel(intoName);
        await confirm(
          context.output,
          `This moves ${contentsOf(from)} of ${nameOf(from)} to ${nameOf(into)}, with its handles; ` +
            `${watchersOf(from)}. Number ${from.id} then no longer exists. It cannot be undone.`,
          yes === true,
        );
        await channels.merge(from.id, into.id, COMMAND_LINE);
        return describe(channels.numbered(into.id));
      }),
    );
}
