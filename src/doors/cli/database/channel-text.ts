import type { ChannelRecord } from "../../../catalog/channels/card.ts";
import type { ManageChannels, ManagedChannel } from "../../../catalog/manage/manage-channels.ts";
import { formatOptionalInstant } from "../../../values/moscow-time.ts";
import type { Output } from "../command-context.ts";
import { forTerminal, type Printable } from "../print.ts";

/** Channels that the list reads at once, since all of them may not fit into memory. */
const LISTED_TOGETHER = 1_000;

export function describe(channel: ManagedChannel): Printable {
  return {
    ...listed(channel),
    former_handles: channel.former_handles,
    link: channel.link,
    category: channel.category,
    categories: channel.categories,
    territory: channel.territory,
    last_post_at: formatOptionalInstant(channel.last_post_at),
    posts: channel.posts,
    days: channel.days,
    webhooks: channel.webhooks,
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

/** Prints all channels in order of their ids, as one JSON document or one line each. */
export function printChannels(output: Output, channels: ManageChannels, asJson?: boolean): void {
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

/** Separated by tabs, for other programs: so many rows cannot be aligned. */
function lineOf(row: ChannelRecord): string {
  const cells = Object.values({ ...listed(row), is_public: row.is_public ? "public" : "hidden" });
  return cells.map((cell) => forTerminal(String(cell ?? "-"))).join("\t");
}

export function nameOf({ id, handle, title }: ChannelRecord): string {
  return `channel ${id} (${handle === null ? "" : `@${handle}, `}"${forTerminal(title)}")`;
}

export function contentsOf({ posts, days }: ManagedChannel): string {
  return `${counted(posts, "post")} and ${counted(days, "day")} of statistics`;
}

export function watchersOf({ webhooks }: ManagedChannel): string {
  return webhooks === 1 ? "1 webhook watches it" : `${counted(webhooks, "webhook")} watch it`;
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
