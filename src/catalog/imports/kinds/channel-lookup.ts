import type { Database } from "../../../db/database.ts";
import { shortened } from "../../../values/fields.ts";
import { message } from "../../../values/messages/messages.ts";
import { parseNamed, postOfLink } from "../../channels/channel-reference.ts";
import { createChannelIds } from "../../channels/channels.store.ts";
import type { RemovedChannel } from "../../channels/removed-channels.store.ts";
import { createRemovedChannels } from "../../channels/removed-channels.store.ts";
import { type ImportContext, KeptOut, RowFault } from "./import-kind.ts";

/**
 * Columns by which a row of statistics or posts names its channel. At least one must be given; if both are,
 * they must name the same channel.
 */
interface NamedChannel {
  channel?: number | string | null | undefined;
  channel_msgr_id?: string | null | undefined;
}

const quotable = (name: number | string) => (typeof name === "number" ? name : shortened(name));

/** The channel that a row is about. */
interface Place {
  id: number;
  /** Whether the row names one that was merged into it, whose own rows come first. */
  isMerged: boolean;
}

/** @param findRemoved the removed channel of a name that no channel has @throws KeptOut if it was deleted */
function placeOf(
  id: number | undefined,
  findRemoved: () => RemovedChannel | undefined,
): Place | undefined {
  if (id !== undefined) return { id, isMerged: false };
  const removed = findRemoved();
  if (removed === undefined || !removed.isKeptOut) return undefined;
  if (removed.intoId === null) throw new KeptOut();
  return { id: removed.intoId, isMerged: true };
}

export type ChannelLookup = ReturnType<typeof createChannelLookup>;

export function createChannelLookup(
  db: Database,
  { messengerHosts }: Pick<ImportContext, "messengerHosts">,
) {
  const ids = createChannelIds(db);
  const removed = createRemovedChannels(db);
  /** The last channel, cached within a transaction: files tend to have a channel's rows together. */
  let last: { name: number | string; place: Place } | null = null;

  /** @throws RowFault if the text cannot name a channel; KeptOut for one that was deleted */
  function find(name: number | string, column = "channel"): Place | undefined {
    if (typeof name === "number") return placeOf(ids.byId(name), () => removed.byId(name));
    const reference = parseNamed(name, messengerHosts);
    if (reference === null) throw new RowFault(column, message("notChannel"));
    if (reference.kind === "handle") {
      const { handle } = reference;
      return placeOf(ids.byHandleEver(handle), () => removed.byHandle(handle));
    }
    return reference.kind === "messengerId" ? byMessengerId(reference.messengerId) : undefined;
  }

  function byMessengerId(messengerId: string): Place | undefined {
    return placeOf(ids.byMessengerId(messengerId), () => removed.byMessengerId(messengerId));
  }

  function namedBy(name: number | string): Place {
    if (last?.name === name) return last.place;
    const place = find(name);
    if (place === undefined)
      throw new RowFault("channel", message("noChannel", { channel: quotable(name) }));
    last = { name, place };
    return place;
  }

  function place({ channel, channel_msgr_id: messengerId }: NamedChannel): Place {
    if (messengerId == null) {
      if (channel == null) throw new RowFault("channel", message("required"));
      return namedBy(channel);
    }
    const found = byMessengerId(messengerId);
    if (found === undefined) {
      throw new RowFault("channel_msgr_id", message("noChannelOfMessenger", { messengerId }));
    }
    if (channel == null) return found;
    const { id } = namedBy(channel);
    if (id === found.id) return found;
    throw new RowFault("channel_msgr_id", message("twoChannels", { channel: id, other: found.id }));
  }

  return {
    /** @throws RowFault if the row names no channel, or two; KeptOut if it names one that was deleted */
    place,
    find: (row: NamedChannel): number => place(row).id,

    /**
     * Number of a channel that is or was in the catalog; null for any other.
     * @param column reported if the text cannot name a channel
     * @throws RowFault in that case
     */
    findKnown(name: number | string, column: string): number | null {
      if (typeof name === "number" && ids.wasRemoved(name)) return name;
      try {
        return find(name, column)?.id ?? null;
      } catch (error) {
        if (error instanceof KeptOut) return null;
        throw error;
      }
    },

    postOfLink: (link: string): string | null => postOfLink(link, messengerHosts),

    /** Must be called before each commit: afterwards the channel may be removed. */
    forget(): void {
      last = null;
    },
  };
}
