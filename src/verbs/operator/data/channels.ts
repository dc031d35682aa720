import type { ChannelRecord } from "../../../catalog/channels/card.ts";
import { CHANNEL_KINDS } from "../../../catalog/channels/channel-reference.ts";
import type { ManagedChannel } from "../../../catalog/manage/manage-channels.ts";
import { notFound } from "../../../errors.ts";
import { formatOptionalInstant } from "../../../values/moscow-time.ts";
import * as shape from "../../../values/schema.ts";
import { required, text } from "../../parameters.ts";
import type { OperatorServices, Resource, Use } from "../resource.ts";
import { list, numberBefore, reference, resource, show, verb } from "../resource.ts";
import { pushVerb } from "./pushes.ts";

const listedFields = {
  id: shape.integer("Number of the channel"),
  msgr_id: shape.field(
    shape.nullable(shape.text("The messenger's own id of it, 64 bits wide")),
    (channel: ChannelRecord) => channel.msgr_id,
  ),
  handle: shape.nullable(shape.text()),
  title: shape.text(),
  kind: shape.choice(CHANNEL_KINDS, {}),
  subscribers: shape.count("Subscribers"),
  is_public: shape.field(
    shape.flag("Hidden channels are in no answer of the customers' API"),
    (channel: ChannelRecord) => channel.is_public === 1,
  ),
};
const listed = shape.rows("ListedChannel", listedFields);

const texts = (description: string) => shape.nullable(shape.text(description));
const managed = shape.rows("ManagedChannel", {
  ...listedFields,
  former_handles: shape.field(
    texts("Newest first, separated by spaces"),
    (channel: ManagedChannel) => channel.former_handles,
  ),
  link: texts("Its address"),
  category: texts("Code of the category"),
  categories: texts("Codes of further ones, separated by spaces"),
  territory: texts("Code of the territory"),
  last_post_at: shape.field(
    shape.nullable(shape.instantText("Time of the latest post; null: none")),
    (channel: ManagedChannel) => formatOptionalInstant(channel.last_post_at),
  ),
  posts: shape.count("Its posts"),
  days: shape.count("Its days of statistics"),
  webhooks: shape.count("Webhooks that watch it"),
});

/** How a channel is named and found; it is an argument of its own verb too. */
const named: Pick<Resource, "hint" | "find"> = {
  hint: "its number, @handle, link or messenger id",
  async find(name, { channels }) {
    const id = channels.find(name);
    if (id === null) throw notFound("channel", name);
    return id;
  },
};

const shown = ({ channels }: OperatorServices, id: number) => managed.row(channels.numbered(id));
const setPublic = async ({ services, id, by }: Use, isPublic: boolean) => {
  await services.channels.setPublic(id, isPublic, by);
  return shown(services, id);
};

/** The catalog's channels, public or not. */
export const channels = resource({
  name: "channel",
  area: "data",
  title: "the catalog's channels, public or not",
  schema: managed.schema,
  ...named,
  verbs: [
    pushVerb("channels"),
    show({
      title: "show a channel, and how many posts and days it has",
      run: async (_args, { services, id }) => shown(services, id),
    }),
    list({
      args: { q: text(`Part of its title, or ${named.hint}.`) },
      title: "list channels by number; one that is named as such comes first",
      result: listed.schema,
      async run({ q: text }, { services: { channels }, part }) {
        const after = numberBefore(part) ?? 0;
        const { limit } = part;
        if (text === undefined) return channels.page(after, limit).map(listed.row);
        const id = channels.find(text);
        const found = await channels.byTitle({ text, after, except: id, limit });
        const first = id === null || after > 0 ? [] : [channels.numbered(id)];
        return [...first, ...found].slice(0, limit).map(listed.row);
      },
    }),
    verb({
      name: "hide",
      title: "hide a channel from all answers; its data is kept",
      run: (_args, use) => setPublic(use, false),
    }),
    verb({
      name: "unhide",
      title: "show a hidden channel again",
      run: (_args, use) => setPublic(use, true),
    }),
    verb({
      name: "delete",
      title:
        "delete a channel with its posts and statistics; rows about it are kept out from then on",
      result: shape.object({ deleted: shape.integer() }),
      asks(_args, { services, id }) {
        const channel = services.channels.numbered(id);
        return (
          `This deletes ${nameOf(channel)} with ${contentsOf(channel)}; ` +
          `${watchersOf(channel)}. It cannot be undone.`
        );
      },
      async run(_args, { services, id, by }) {
        services.channels.numbered(id);
        await services.channels.delete(id, by);
        return { deleted: id };
      },
    }),
    verb({
      name: "restore",
      on: "none",
      args: { channel: required(text(`The removed channel: ${named.hint}.`)) },
      positional: ["channel"],
      title: "let a deleted or merged channel return, under its number, with the next row about it",
      result: shape.object({ restored: shape.integer() }),
      async run({ channel }, { services, by }) {
        const id = services.channels.findRemoved(channel);
        if (id === null) throw notFound("channel", channel);
        await services.channels.restore(id, by);
        return { restored: id };
      },
    }),
    verb({
      name: "merge",
      args: { into: reference(named, "Number of the channel that stays.") },
      positional: ["into"],
      title: "move all data of a channel to another one, and delete the first",
      asks({ into }, { services, id }) {
        const from = services.channels.numbered(id);
        return (
          `This moves ${contentsOf(from)} of ${nameOf(from)} to ` +
          `${nameOf(services.channels.numbered(into))}, with its handles; ${watchersOf(from)}. ` +
          `Number ${id} then no longer exists. It cannot be undone.`
        );
      },
      async run({ into }, { services, id, by }) {
        await services.channels.merge(id, into, by);
        return shown(services, into);
      },
    }),
  ],
});

function nameOf({ id, handle, title }: ChannelRecord): string {
  return `channel ${id} (${handle === null ? "" : `@${handle}, `}"${title}")`;
}

function contentsOf({ posts, days }: ManagedChannel): string {
  return `${counted(posts, "post")} and ${counted(days, "day")} of statistics`;
}

function watchersOf({ webhooks }: ManagedChannel): string {
  return webhooks === 1 ? "1 webhook watches it" : `${counted(webhooks, "webhook")} watch it`;
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
