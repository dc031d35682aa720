import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ChannelRecord } from "../channels/card.ts";
import { parseResolveQuery } from "../channels/channel-reference.ts";
import { createChannelRecords, recordsAfter, selectId } from "../channels/channels.store.ts";
import { recount } from "../directory/recount.ts";
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
  /** Digits are the service number, or the messenger's where no channel has that. */
  function findId(name: string): number | null {
    const id = /^\d+$/.test(name) ? selectId(db, { kind: "id", id: Number(name) }) : null;
    const reference = id === null ? parseResolveQuery(name, hosts) : null;
    return reference === null ? id : selectId(db, reference);
  }

  return {
    /**
     * @param name a service number, a messenger id, an `@handle` or a link
     * @throws AppError `not_found`
     */
    channel(name: string): ManagedChannel {
      const id = findId(name.trim());
      const record = id === null ? undefined : createChannelRecords(db, clock).byId(id);
      if (record === undefined) throw notFound("channel", name);
      const webhooks = watchers.count(db, record.id);
      return { ...record, ...countRows(db, record.id), webhooks };
    },

    /** Channels by number, after one. */
    page: (afterId: number, limit: number): ChannelRecord[] => [
      ...recordsAfter(db, afterId, limit),
    ],

    /** Shows a channel in what the API answers, or hides it. @returns whether that changed */
    async setPublic(id: number, isPublic: boolean, by: Actor): Promise<boolean> {
      const isChanged = await inTransaction(db, clock, "set-public", async (tx) => {
        const records = createChannelRecords(tx, clock);
        const stored = records.byId(id);
        if (stored === undefined) throw notFound("channel", id);
        if (stored.is_public === Number(isPublic)) return false;
        records.update({ ...stored, is_public: Number(isPublic) }, stored);
        records.writeSearch();
        await recordChange(tx, clock, by, {
          organizationId: null,
          action: isPublic ? "channel.unhide" : "channel.hide",
          target: `channel ${id}`,
          details: { name: stored.title },
        });
        return true;
      });
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
