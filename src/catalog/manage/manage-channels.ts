import type { Actor } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ChannelRecord } from "../channels/card.ts";
import { createChannelRecords } from "../channels/channel-records.store.ts";
import { parseResolveQuery } from "../channels/channel-reference.ts";
import { recordsAfter, selectId } from "../channels/channels.store.ts";
import { recount } from "../directory/recount.ts";
import { setChannelPublic } from "./channel-changes.ts";
import { countRows, type Watchers } from "./removals.store.ts";
import { removeChannel } from "./removals.ts";

/** A channel as whoever runs the appliance sees it, public or not. */
export interface ManagedChannel extends ChannelRecord {
  posts: number;
  /** Days of its statistics. */
  days: number;
  /** Webhooks that watch it. */
  webhooks: number;
}

export type ManageChannels = ReturnType<typeof createManageChannels>;

/**
 * Channels for whoever runs the appliance. Every verb that names one throws `not_found` for a number that
 * no channel has.
 * @param hosts the messenger's hosts, by which links are known
 */
export function createManageChannels(
  db: Database,
  clock: Clock,
  hosts: readonly string[],
  watchers: Watchers,
) {
  return {
    ...createChannelsSeen(db, clock, hosts, watchers),

    /** Shows a channel in what the API answers, or hides it. @returns whether that changed */
    async setPublic(id: number, isPublic: boolean, by: Actor): Promise<boolean> {
      const isChanged = await setChannelPublic(db, clock, id, isPublic, by);
      if (isChanged) await recount(db, clock);
      return isChanged;
    },

    /** Removes a channel with its posts and statistics; its number is not given again. */
    async delete(id: number, by: Actor): Promise<void> {
      await removeChannel(db, clock, watchers, { id, intoId: null }, by);
      await recount(db, clock);
    },

    /** Gives all that a channel has to another, by whose name it is found from then on. */
    async merge(id: number, intoId: number, by: Actor): Promise<void> {
      await removeChannel(db, clock, watchers, { id, intoId }, by);
      await recount(db, clock);
    },
  };
}

export type ChannelsSeen = ReturnType<typeof createChannelsSeen>;

/** The operator's view of channels, public or not. */
export function createChannelsSeen(
  db: Database,
  clock: Clock,
  hosts: readonly string[],
  watchers: Pick<Watchers, "count">,
) {
  /** Digits are the service number, or the messenger's where no channel has that. */
  function find(name: string): number | null {
    const id = /^\d+$/.test(name) ? selectId(db, { kind: "id", id: Number(name) }) : null;
    const reference = id === null ? parseResolveQuery(name, hosts) : null;
    return reference === null ? id : selectId(db, reference);
  }

  return {
    /** The number of the channel that a text names, or null. */
    find: (name: string): number | null => find(name.trim()),

    /**
     * @param name a service number, a messenger id, an `@handle` or a link
     * @throws AppError `not_found`
     */
    channel(name: string): ManagedChannel {
      const id = find(name.trim());
      const record = id === null ? undefined : createChannelRecords(db, clock).byId(id);
      if (record === undefined) throw notFound("channel", name);
      const webhooks = watchers.count(db, record.id);
      return { ...record, ...countRows(db, record.id), webhooks };
    },

    /** Channels by number, after one. */
    page: (afterId: number, limit: number): ChannelRecord[] => [
      ...recordsAfter(db, afterId, limit),
    ],
  };
}
