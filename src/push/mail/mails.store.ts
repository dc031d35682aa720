import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNull,
  lte,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { allParams, change, eqParam, param, query } from "../../db/query.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Message } from "../../ports/mail.ts";
import { nextAttemptAt } from "../../values/retry-ladder.ts";
import { mails } from "./mails.table.ts";

/** How long a claim lasts: longer than sending a message may take. */
const LEASE_MS = 120_000;
const MINUTE_MS = 60_000;
/** Waits after each failure; a message not accepted within two days is given up. */
const WAITS_MS = [1, 5, 15, 60, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS);

export interface ClaimedMail extends Message {
  id: number;
  claim: string;
  /** As for `addMail`. */
  rank: number;
}

/** A claimed message that has been sent, or could not be. */
export interface EndedMail extends Pick<ClaimedMail, "id" | "claim"> {
  isSent: boolean;
  endedAt: number;
}

const add = change((db) =>
  db.insert(mails).values({
    ...{ recipients: param("to"), ...allParams("subject", "text", "html", "rank") },
    ...{ createdAt: param("nowMs"), nextAttemptAt: param("nowMs") },
  }),
);

/** Most messages that wait because strangers asked for them. */
export const ASKED_MAX = 10_000;

const isAsked = gt(mails.rank, 0);
const asked = query((db) => db.select({ mails: count() }).from(mails).where(isAsked));
const removeLast = change((db) => {
  const last = db
    .select({ id: mails.id })
    .from(mails)
    .where(isAsked)
    .orderBy(desc(mails.rank), desc(mails.nextAttemptAt), desc(mails.id))
    .limit(1);
  return db.delete(mails).where(inArray(mails.id, last));
});

/**
 * Queues a message in the caller's transaction: it is sent if and only if that commits. One that a stranger
 * asked for may be dropped later, if many others asked for fewer.
 * @param rank as for `addMail`
 */
export async function queueMail(
  tx: Transaction,
  nowMs: number,
  message: Message,
  rank = 0,
): Promise<void> {
  await add(tx).run({ ...message, rank, nowMs });
  if (rank > 0 && ((await asked(tx).get())?.mails ?? 0) > ASKED_MAX) await removeLast(tx).run();
}

/** Whether only messages of the appliance's own are taken, or also those that strangers asked for. */
export interface Taken {
  isAskedTaken: boolean;
}

const rankMax = ({ isAskedTaken }: Taken) => (isAskedTaken ? Number.MAX_SAFE_INTEGER : 0);

const dueOf = (isKind: SQL) =>
  query((db) =>
    db
      .select({ id: mails.id })
      .from(mails)
      .where(and(isKind, lte(mails.nextAttemptAt, param("nowMs"))))
      .limit(1),
  );
const ownDue = dueOf(eq(mails.rank, 0));
const askedDue = dueOf(isAsked);

/** Whether a message is due; also while it is claimed. */
export async function isMailDue(
  db: Database,
  nowMs: number,
  { isAskedTaken }: Taken,
): Promise<boolean> {
  if ((await ownDue(db).get({ nowMs })) !== undefined) return true;
  return isAskedTaken && (await askedDue(db).get({ nowMs })) !== undefined;
}

/** Moves due times back together with the clock; otherwise messages would become due that much later. */
export async function setBackMails(tx: Transaction, byMs: number): Promise<void> {
  await tx.builders.update(mails).set({
    nextAttemptAt: sql`${mails.nextAttemptAt} - ${byMs}`,
    claimedUntil: sql`${mails.claimedUntil} - ${byMs}`,
  });
}

const counted = query((db) => db.select({ mails: count() }).from(mails));

/** Number of messages still to be sent. */
export async function countMails(db: Database): Promise<number> {
  return (await counted(db).get())?.mails ?? 0;
}

const unclaimed = query((db) =>
  db
    .select({
      id: mails.id,
      to: mails.recipients,
      subject: mails.subject,
      text: mails.text,
      html: mails.html,
      rank: mails.rank,
    })
    .from(mails)
    .where(
      and(
        lte(mails.rank, param("rankMax")),
        lte(mails.nextAttemptAt, param("nowMs")),
        or(isNull(mails.claimedUntil), lte(mails.claimedUntil, param("nowMs"))),
      ),
    )
    .orderBy(asc(mails.rank), asc(mails.nextAttemptAt), asc(mails.id))
    .limit(1),
);

const take = change((db) =>
  db
    .update(mails)
    .set({ claim: param("claim"), claimedUntil: param("until") })
    .where(eqParam(mails.id, "id")),
);

/** Claims one due message that nobody else has claimed. */
export function claimMail(
  db: Database,
  clock: Clock,
  claim: string,
  taken: Taken,
): Promise<ClaimedMail | null> {
  return inTransaction(db, clock, "mail-claim", async (tx) => {
    const nowMs = clock.now();
    const mail = await unclaimed(tx).get({ nowMs, rankMax: rankMax(taken) });
    if (mail === undefined) return null;
    await take(tx).run({ id: mail.id, claim, until: nowMs + LEASE_MS });
    return { ...mail, claim };
  });
}

const isClaimed = and(eqParam(mails.id, "id"), eqParam(mails.claim, "claim"));
const remove = change((db) => db.delete(mails).where(isClaimed));
const countFailure = change((db) =>
  db
    .update(mails)
    .set({ failures: sql`${mails.failures} + 1` })
    .where(isClaimed)
    .returning({ failures: mails.failures }),
);
const postpone = change((db) =>
  db
    .update(mails)
    .set({ nextAttemptAt: param("next"), claim: null, claimedUntil: null })
    .where(isClaimed),
);

/**
 * Records the end of sending a message, which is removed, postponed or given up.
 * @returns whether it was given up
 */
export function endMail(
  db: Database,
  clock: Clock,
  { id, claim, isSent, endedAt }: EndedMail,
): Promise<boolean> {
  return inTransaction(db, clock, "mail-end", async (tx) => {
    if (isSent) {
      await remove(tx).run({ id, claim });
      return false;
    }
    const failed = await countFailure(tx).get({ id, claim });
    if (failed === undefined) return false;
    const next = nextAttemptAt(endedAt, failed.failures, WAITS_MS);
    if (next === null) await remove(tx).run({ id, claim });
    else await postpone(tx).run({ id, claim, next });
    return next === null;
  });
}

/** How long a message waits for a mail server to be configured. */
const WAITING_MAX_MS = 7 * 24 * 60 * MINUTE_MS;

/** Gives up messages that have waited too long. @returns how many */
export function dropOldMails(db: Database, clock: Clock): Promise<number> {
  return inTransaction(db, clock, "mail-drop", async (tx) => {
    const nowMs = clock.now();
    const isOld = lte(mails.createdAt, nowMs - WAITING_MAX_MS);
    return (await tx.builders.delete(mails).where(isOld)).changes;
  });
}
