import { Command, Option } from "commander";
import type { ChannelRecord } from "../../../catalog/channels/card.ts";
import type { ManageChannels, ManagedChannel } from "../../../catalog/manage/manage-channels.ts";
import { COMMAND_LINE } from "../../../customers/audit/audit-log.ts";
import { jsonOption } from "../arguments.ts";
import type { CommandContext, Output } from "../command-context.ts";
import { confirm } from "../confirm.ts";
import { instantCell, type Printable, printObject } from "../print.ts";
import { withDomains } from "../with-domains.ts";

/** Channels that are read at once for the list, however many there are. */
const LISTED_TOGETHER = 1_000;

const NAME = "its number, @handle, link or messenger id";

interface Asking {
  yes?: boolean;
  json?: boolean;
}

/** `kanalog channel`: the catalog's channels, public or not (living data, section 1). */
export function channelCommand(context: CommandContext): Command {
  const command = new Command("channel").description("the catalog's channels, public or not");
  const { output } = context;
  const yesOption = () => new Option("--yes", "do it without asking");

  command
    .command("show")
    .description("a channel, and how much there is of it")
    .argument("<channel>", NAME)
    .addOption(jsonOption())
    .action((name: string, { json }: Asking) =>
      withDomains(context, ({ channels }) => {
        printObject(output, describe(channels.channel(name)), json === true);
      }),
    );

  command
    .command("list")
    .description("all channels by number, one a line")
    .addOption(jsonOption())
    .action(({ json }: Asking) =>
      withDomains(context, ({ channels }) => printAll(output, channels, json === true)),
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
      .action((name: string, { json }: Asking) =>
        withDomains(context, async ({ channels }) => {
          const { id } = channels.channel(name);
          await channels.setPublic(id, isPublic, COMMAND_LINE);
          printObject(output, describe(channels.channel(String(id))), json === true);
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
      withDomains(context, async ({ channels }) => {
        const channel = channels.channel(name);
        await confirm(
          output,
          `This deletes ${named(channel)} with ${contents(channel)}; ` +
            `${watched(channel)}. It cannot be undone.`,
          yes === true,
        );
        await channels.delete(channel.id, COMMAND_LINE);
        printObject(output, { deleted: channel.id }, json === true);
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
      withDomains(context, async ({ channels }) => {
        const [from, into] = [channels.channel(fromName), channels.channel(intoName)];
        await confirm(
          output,
          `This gives ${contents(from)} of ${named(from)} to ${named(into)}, with its handles; ` +
            `${watched(from)}. Number ${from.id} is gone then. It cannot be undone.`,
          yes === true,
        );
        await channels.merge(from.id, into.id, COMMAND_LINE);
        printObject(output, describe(channels.channel(String(into.id))), json === true);
      }),
    );
  return command;
}

function describe(channel: ManagedChannel): Printable {
  const { description: _description, image: _image, last_post_at, ...rest } = channel;
  return {
    ...listed(channel),
    former_handles: rest.former_handles,
    link: rest.link,
    category: rest.category,
    categories: rest.categories,
    territory: rest.territory,
    last_post_at: instantCell(last_post_at),
    posts: rest.posts,
    days: rest.days,
    webhooks: rest.webhooks,
  };
}

function listed(channel: ChannelRecord): Printable {
  return {
    id: channel.id,
    msgr_id: channel.msgr_id,
    handle: channel.handle,
    title: channel.title,
    kind: channel.kind,
    subscribers: channel.subscribers,
    is_public: channel.is_public === 1,
  };
}

/** Printed part by part: there may be more channels than fit into the memory. */
function printAll(output: Output, channels: ManageChannels, asJson: boolean): void {
  let after = 0;
  if (asJson) output.out('{"results":[');
  for (;;) {
    const rows = channels.page(after, LISTED_TOGETHER);
    const last = rows.at(-1)?.id;
    if (last === undefined) break;
    const lines = rows.map((row) => (asJson ? JSON.stringify(listed(row)) : lineOf(row)));
    const isFirst = after === 0;
    output.out(asJson ? `${isFirst ? "" : ","}${lines.join(",\n")}` : lines.join("\n"));
    after = last;
  }
  if (asJson) output.out("]}");
  else if (after === 0) output.note("None.");
}

/** Separated by tabs, for other programs: the columns of so many rows cannot be aligned. */
function lineOf(row: ChannelRecord): string {
  const cells = Object.values({ ...listed(row), is_public: row.is_public ? "public" : "hidden" });
  return cells.map((cell) => String(cell ?? "-").replace(/\p{Cc}/gu, "�")).join("\t");
}

function named({ id, handle, title }: ChannelRecord): string {
  return `channel ${id} (${handle === null ? "" : `@${handle}, `}"${title.replace(/\p{Cc}/gu, "�")}")`;
}

function contents({ posts, days }: ManagedChannel): string {
  return `${counted(posts, "post")} and ${counted(days, "day")} of statistics`;
}

function watched({ webhooks }: ManagedChannel): string {
  return webhooks === 1 ? "1 webhook watches it" : `${counted(webhooks, "webhook")} watch it`;
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
