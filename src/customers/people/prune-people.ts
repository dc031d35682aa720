import type { Database } from "../../db/database.ts";
import { inParts } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { deleteEndedLinks, deleteEndedSessions } from "./prune-people.store.ts";

/** Removes expired sessions and password links: people who never come back leave them behind. */
export async function prunePeople(db: Database, clock: Clock): Promise<void> {
  const nowMs = clock.now();
  for (const remove of [deleteEndedSessions, deleteEndedLinks]) {
    await inParts(db, clock, "prune-people", (tx) => remove(tx, nowMs));
  }
}
