import type { SQL } from "drizzle-orm";
import { and, asc, count, desc, eq, gt, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database, Transaction } from "../../db/database.ts";
import { change, query } from "../../db/statement.ts";
import { transaction } from "../../db/transaction.ts";
import type { Message } from "../../ports/mail.ts";
import { nextAttemptAt } from "../retry-ladder.ts";

/** Mails that told an organization how much of a period's quota it has used. */
export const quotaMails = sqliteTable(
  "quota_mails",
  {
    organizationId: integer("organization_id").notNull(),
    periodStartedAt: integer("period_started_at").notNull(),
    percent: integer("percent").notNull(),
  },
  ({ organizationId, periodStartedAt, percent }) => [
    primaryKey({ columns: [organizationId, periodStartedAt, percent] }),
  ],
);

/** Messages still to be sent; a message that was sent or given up is removed. */
export const mails = sqliteTable("mails", {
  id: integer("id").primaryKey(),
  recipients: text("recipients", { mode: "json" }).$type<readonly string[]>().notNull(),
  subject: text("subject").notNull(),
  text: text("text").notNull(),
  html: text("html").notNull(),
  unsubscribe: text("unsubscribe"),
  createdAt: integer("created_at").notNull(),
  failures: integer("failures").notNull().default(0),
  nextAttemptAt: integer("next_attempt_at").notNull(),
  /** As `addMail` describes it. */
  rank: integer("rank").notNull().default(0),
  claim: text("claim"),
  claimedUntil: integer("claimed_until"),
});

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

interface Queued extends Message {
  rank: number;
  nowMs: number;
}

/** A claimed message that has been sent, or could not be. */
export interface EndedMail extends Pick<ClaimedMail, "id" | "claim"> {
  isSent: boolean;
  endedAt: number;
}

const add = change((db, { to, subject, text, html, unsubscribe, rank, nowMs }: Queued) =>
  db.insert(mails).values({
    recipients: to,
    subject,
    text,
    html,
    unsubscribe,
    rank,
    createdAt: nowMs,
    nextAttemptAt: nowMs,
  }),
).run;

/** Most messages that wait because strangers asked for them. */
export const ASKED_MAX = 10_000;

const isAsked = gt(mails.rank, 0);
const countAsked = query((db) => db.select({ mails: count() }).from(mails).where(isAsked)).count;
const removeLast = change((db) => {
  const last = db
    .select({ id: mails.id })
    .from(mails)
    .where(isAsked)
    .orderBy(desc(mails.rank), desc(mails.nextAttemptAt), desc(mails.id))
    .limit(1);
  return db.delete(mails).where(inArray(mails.id, last));
}).run;

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
  await add(tx, { unsubscribe: null, ...message, rank, nowMs });
  if (rank > 0 && (await countAsked(tx)) > ASKED_MAX) await removeLast(tx);
}

/** Whether only messages of the appliance's own are taken, or also those that strangers asked for. */
export interface Taken {
  isAskedTaken: boolean;
}

const rankMax = ({ isAskedTaken }: Taken) => (isAskedTaken ? Number.MAX_SAFE_INTEGER : 0);

const isDueOf = (isKind: SQL) =>
  query((db, { nowMs }: { nowMs: number }) =>
    db
      .select({ id: mails.id })
      .from(mails)
      .where(and(isKind, lte(mails.nextAttemptAt, nowMs)))
      .limit(1),
  ).any;
const isOwnDue = isDueOf(eq(mails.rank, 0));
const isAskedDue = isDueOf(isAsked);

/** Whether a message is due; also while it is claimed. */
export async function isMailDue(
  db: Database,
  nowMs: number,
  { isAskedTaken }: Taken,
): Promise<boolean> {
  return (await isOwnDue(db, { nowMs })) || (isAskedTaken && (await isAskedDue(db, { nowMs })));
}

/** Moves due times back together with the clock; otherwise messages would become due that much later. */
export async function setBackMails(tx: Transaction, byMs: number): Promise<void> {
  await tx.builders.update(mails).set({
    nextAttemptAt: sql`${mails.nextAttemptAt} - ${byMs}`,
    claimedUntil: sql`${mails.claimedUntil} - ${byMs}`,
  });
}

/** Number of messages still to be sent. */
export const countMails = query((db) => db.select({ mails: count() }).from(mails)).count;

const selectUnclaimed = query((db, { rankMax, nowMs }: { rankMax: number; nowMs: number }) =>
  db
    .select({
      id: mails.id,
      to: mails.recipients,
      subject: mails.subject,
      text: mails.text,
      html: mails.html,
      unsubscribe: mails.unsubscribe,
      rank: mails.rank,
    })
    .from(mails)
    .where(
      and(
        lte(mails.rank, rankMax),
        lte(mails.nextAttemptAt, nowMs),
        or(isNull(mails.claimedUntil), lte(mails.claimedUntil, nowMs)),
      ),
    )
    .orderBy(asc(mails.rank), asc(mails.nextAttemptAt), asc(mails.id))
    .limit(1),
).one;

const take = change((db, { id, claim, until }: Claim & { until: number }) =>
  db.update(mails).set({ claim, claimedUntil: until }).where(eq(mails.id, id)),
).run;

/** Claims one due message that nobody else has claimed. */
const claimMail = transaction("mail-claim", async (tx, clock, claim: string, taken: Taken) => {
  const nowMs = clock.now();
  const mail = await selectUnclaimed(tx, { nowMs, rankMax: rankMax(taken) });
  if (mail === undefined) return null;
  await take(tx, { id: mail.id, claim, until: nowMs + LEASE_MS });
  return { ...mail, claim };
});

type Claim = Pick<ClaimedMail, "id" | "claim">;

const isClaimed = ({ id, claim }: Claim) => and(eq(mails.id, id), eq(mails.claim, claim));

const remove = change((db, of: Claim) => db.delete(mails).where(isClaimed(of))).run;

const countFailure = change((db, of: Claim) =>
  db
    .update(mails)
    .set({ failures: sql`${mails.failures} + 1` })
    .where(isClaimed(of))
    .returning({ failures: mails.failures }),
).value;

const postpone = change((db, { id, claim, next }: Claim & { next: number }) =>
  db
    .update(mails)
    .set({ nextAttemptAt: next, claim: null, claimedUntil: null })
    .where(isClaimed({ id, claim })),
).run;

/**
 * Records the end of sending a message, which is removed, postponed or given up.
 * @returns whether it was given up
 */
const endMail = transaction(
  "mail-end",
  async (tx, _clock, { id, claim, isSent, endedAt }: EndedMail) => {
    if (isSent) {
      await remove(tx, { id, claim });
      return false;
    }
    const failures = await countFailure(tx, { id, claim });
    if (failures === null) return false;
    const next = nextAttemptAt(endedAt, failures, WAITS_MS);
    if (next === null) await remove(tx, { id, claim });
    else await postpone(tx, { id, claim, next });
    return next === null;
  },
);

/** How long a message waits for a mail server to be configured. */
const WAITING_MAX_MS = 7 * 24 * 60 * MINUTE_MS;

/** Gives up messages that have waited too long. @returns how many */
const dropOldMails = transaction("mail-drop", async (tx, clock) => {
  const nowMs = clock.now();
  const isOld = lte(mails.createdAt, nowMs - WAITING_MAX_MS);
  return (await tx.builders.delete(mails).where(isOld)).changes;
});

/** Operations that send and give up messages, one transaction each. */
export const mailQueue = { claimMail, endMail, dropOldMails };

/** Records the mail about a period and level. @returns false if it was already recorded */
export const noteQuotaMail = change(
  (db, { organizationId, periodStartedAt, percent }: typeof quotaMails.$inferSelect) =>
    db
      .insert(quotaMails)
      .values({ organizationId, periodStartedAt, percent })
      .onConflictDoNothing(),
).wrote;
