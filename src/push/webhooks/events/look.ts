import type { Transaction } from "../../../db/database.ts";
import { setBackMails } from "../../mail/mails.store.ts";
import type { Look } from "./events.table.ts";
import { addDownTime, putDue, readLook, selectOverdue, setBack, updateLook } from "./look.store.ts";

/** How often a process records that it looks. */
const LOOK_EVERY_MS = 30_000;
/** Time without a look that shows that no process was running. */
const GAP_MS = 3 * LOOK_EVERY_MS;
/** Time over which attempts that became due meanwhile are spread. */
const SPREAD_MS = 45_000;
/** Longest pause between two of those attempts. */
const SPREAD_STEP_MAX_MS = 1_000;
/** Setting the clock back by less changes nothing. */
const SET_BACK_MS = 1_000;

export function isLookDue({ lookedAt }: Look, nowMs: number): boolean {
  return lookedAt === null || nowMs >= lookedAt + LOOK_EVERY_MS || nowMs < lookedAt - SET_BACK_MS;
}

/**
 * Records, in the caller's transaction, that a process looks, and corrects due times after a gap or if the
 * clock was set back. Must precede anything that writes a due time.
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

/** Due times to move per transaction; deliveries beyond that wait for capacity anyway. */
const SPREAD_DELIVERIES_MAX = 2_000;

/** Spreads attempts that became due meanwhile, so that they are not all made at once. */
async function spreadOverdue(tx: Transaction, nowMs: number): Promise<void> {
  const overdue = await selectOverdue(tx, nowMs, SPREAD_DELIVERIES_MAX);
  const stepMs = Math.min(SPREAD_STEP_MAX_MS, SPREAD_MS / overdue.length);
  for (const [place, id] of overdue.entries()) {
    await putDue(tx, id, nowMs + Math.floor(place * stepMs));
  }
  await updateLook(tx, { overdueUntil: nowMs + SPREAD_MS });
}
