import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { inParts, transaction } from "../../db/transaction.ts";
import { AppError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { createChannelRecords } from "../channels/channel-records.store.ts";
import type { Removal, Watchers } from "./removals.store.ts";
import { endRemoval, insertRemoval, removeSome, selectRemoval } from "./removals.store.ts";

/**
 * Merges or deletes a channel. A first transaction removes it from everything that is answered and records
 * the removal, further ones move or delete its rows, and a last one ends it. If killed at any moment,
 * `finishRemovals` continues.
 * @throws AppError `not_found` if one of the channels does not exist, `invalid` for one merged into itself
 */
export async function removeChannel(
  db: Database,
  clock: Clock,
  watchers: Watchers,
  removal: Removal,
  by: Actor,
): Promise<void> {
  do await finishRemovals(db, clock, watchers);
  while (!(await beginRemoval(db, clock, watchers, removal, by)));
  await finishRemovals(db, clock, watchers);
}

/**
 * @returns false, with nothing changed, if another removal has begun meanwhile and must be finished first
 */
export const beginRemoval = transaction(
  "begin-removal",
  async (tx, clock, watchers: Watchers, removal: Removal, by: Actor) => {
    if (selectRemoval(tx) !== undefined) return false;
    const { id, intoId } = removal;
    if (id === intoId) throw new AppError("invalid", message("mergedIntoItself"));
    const records = createChannelRecords(tx, clock);
    const channel = records.byId(id);
    const into = intoId === null ? null : records.byId(intoId);
    if (channel === undefined) throw notFound("channel", id);
    if (into === undefined) throw notFound("channel", intoId ?? undefined);
    // A merged channel's names go to the other one where that has none.
    const names = {
      msgr_id: into?.msgr_id === null ? null : channel.msgr_id,
      handle: into?.handle === null ? null : channel.handle,
    };
    // Another appliance's removed channel may have brought the same ones.
    records.removed.release(names);
    insertRemoval(tx, removal, names, clock.now());
    if (into === null) {
      records.remove(channel);
    } else {
      records.merge(channel, into);
      watchers.watchOther(tx, removal);
    }
    records.writeSearch();
    await recordChange(tx, clock, by, {
      action: into === null ? "channel.delete" : "channel.merge",
      id,
      details: { name: channel.title, ...(into !== null && { into: into.id }) },
    });
    return true;
  },
);

/** Finishes a removal in progress, whether this process or a killed one began it. */
export async function finishRemovals(
  db: Database,
  clock: Clock,
  watchers: Watchers,
): Promise<void> {
  for (;;) {
    const removal = selectRemoval(db);
    if (removal === undefined) return;
    await inParts(db, clock, "remove-channel", async (tx) => {
      if (removeSome(tx, removal) || (await watchers.leaveNext(tx, removal))) return true;
      endRemoval(tx, removal);
      return false;
    });
  }
}
