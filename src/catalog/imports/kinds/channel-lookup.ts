import type { Database } from "../../../db/database.ts";
import { shortened } from "../../../values/fields.ts";
import { message } from "../../../values/messages/messages.ts";
import { parseNamed } from "../../channels/channel-reference.ts";
import { createChannelIds } from "../../channels/channels.store.ts";
import { type ImportContext, RowFault } from "./import-kind.ts";

/**
 * Columns by which a row of statistics or posts names its channel. At least one must be given; if both are,
 * they must name the same channel.
 */
interface NamedChannel {
  channel?: number | string | null | undefined;
  channel_msgr_id?: string | null | undefined;
}

/** A channel's name as messages quote it. */
const quotable = (name: number | string) => (typeof name === "number" ? name : shortened(name));

export type ChannelLookup = ReturnType<typeof createChannelLookup>;

export function createChannelLookup(
  db: Database,
  { messengerHosts }: Pick<ImportContext, "messengerHosts">,
) {
  const ids = createChannelIds(db);
  /** The last channel, cached within a transaction: files tend to have a channel's rows together. */
  let last: { name: number | string; id: number } | null = null;

  function find(name: number | string, column = "channel"): number | undefined {
    if (typeof name === "number") return ids.byId(name);
    const reference = parseNamed(name, messengerHosts);
    if (reference === null) throw new RowFault(column, message("notChannel"));
    if (reference.kind === "handle") return ids.byHandleEver(reference.handle);
    return reference.kind === "messengerId" ? ids.byMessengerId(reference.messengerId) : undefined;
  }

  function idOf(name: number | string): number {
    if (last?.name === name) return last.id;
    const id = find(name);
    if (id === undefined)
      throw new RowFault("channel", message("noChannel", { channel: quotable(name) }));
    last = { name, id };
    return id;
  }

  return {
    /** @throws RowFault if the row names no channel, or two */
    find({ channel, channel_msgr_id: messengerId }: NamedChannel): number {
      if (messengerId == null) {
        if (channel == null) throw new RowFault("channel", message("required"));
        return idOf(channel);
      }
      const id = ids.byMessengerId(messengerId);
      if (id === undefined) {
        throw new RowFault("channel_msgr_id", message("noChannelOfMessenger", { messengerId }));
      }
      if (channel == null) return id;
      const named = idOf(channel);
      if (named === id) return id;
      throw new RowFault("channel_msgr_id", message("twoChannels", { channel: named, other: id }));
    },

    /**
     * Number of a channel that is or was in the catalog; null for any other.
     * @param column reported if the text cannot name a channel
     * @throws RowFault in that case
     */
    findKnown(name: number | string, column: string): number | null {
      const wasKnown = typeof name === "number" && ids.wasRemoved(name);
      return wasKnown ? name : (find(name, column) ?? null);
    },

    /** Must be called before each commit: afterwards the channel may be removed. */
    forget(): void {
      last = null;
    },
  };
}
