import type { Transaction } from "../../../db/database.ts";
import { setBackMails } from "../../mail/mails.store.ts";
import type { Look } from "./events.table.ts";
import { addDownTime, putDue, readLook, selectOverdue, setBack, updateLook } from "./look.store.ts";

/** How often a process notes that it looks. */
const LOOK_EVERY_MS = 30_000;
/** Time without a look after which no process was there to make attempts. */
const GAP_MS = 3 * LOOK_EVERY_MS;
/** Attempts that fell due while no process looked are made within so long. */
const SPREAD_MS = 45_000;
/** The longest pause between two of those attempts. */
const SPREAD_STEP_MAX_MS = 1_000;
/** A clock that is set back a little changes nothing. */
const SET_BACK_MS = 1_000;

export function isLookDue({ lookedAt }: Look, nowMs: number): boolean {
  return lookedAt === null || nowMs >= lookedAt + LOOK_EVERY_MS || nowMs < lookedAt - SET_BACK_MS;
}

/**
 * Notes, in the caller's transaction, that somebody looks, and mends due times where nobody did or
 * where the clock was set back. Comes before anything that writes a due time.
 */
export async function noteLook(tx: Transaction, nowMs: number): Promise<void> {
  const before = await readLook(tx);
  if (!isLookDue(before, nowMs)) return;
  const gapMs = nowMs - (before.lookedAt ?? nowMs);
  if (gapMs < 0) {
    await setBack(tx, -gapMs);
    await setBackMails(tx, -gapMs);
  }
  if (gapMs > GAP_MS) {
    await addDownTime(tx, nowMs, gapMs);
    await spreadOverdue(tx, nowMs);
  }
  await updateLook(tx, { lookedAt: nowMs });
}

/** Due times that are moved in one transaction; what is beyond them waits for a place anyway. */
const SPREAD_DELIVERIES_MAX = 2_000;

/** Spreads attempts that fell due meanwhile, so that they are not all made at once. */
async function spreadOverdue(tx: Transaction, nowMs: number): Promise<void> {
  const overdue = await selectOverdue(tx, nowMs, SPREAD_DELIVERIES_MAX);
  const stepMs = Math.min(SPREAD_STEP_MAX_MS, SPREAD_MS / overdue.length);
  for (const [place, id] of overdue.entries()) {
    await putDue(tx, id, nowMs + Math.floor(place * stepMs));
  }
  await updateLook(tx, { overdueUntil: nowMs + SPREAD_MS });
}
