import { selectMembers, selectOrganization } from "../../../customers/accounts/accounts.store.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import { inParts, inTransaction } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import { queueMail } from "../../mail/mails.store.ts";
import { oldBodies, oldDeliveries } from "../delivery/deliveries.store.ts";
import { anyWebhook, disable, selectWebhook, updateWebhook } from "../manage/webhooks.store.ts";
import { forgetReadPosts } from "./cut-events.store.ts";
import { cutEvents, nextPart, type Part, type PostTexts } from "./cut-events.ts";
import { disabledMail } from "./disabled-mail.ts";
import { deadQueues, emptyQueues } from "./drop-queue.ts";
import { isAnyFailingSince, readLook, selectFailing, updateLook } from "./look.store.ts";
import { isLookDue, noteLook } from "./look.ts";

/** Work of webhooks that is due by the clock, on the thread that writes it. */
export const webhookWork = { lookAfterWebhooks, cutPart, leavePart, disableFailed };

/** A webhook that fails for so long is disabled (specification, section 6). */
const FAILING_MAX_MS = DAY_MS;
/** How much of that time may have passed without a process that would have made the attempts. */
const DOWN_MAX_MS = 60 * 60 * 1000;
/** No more webhooks are cut in a transaction after so long; one webhook's share comes on top. */
const CUT_MS = 5;
/** Rows that are removed in one step: a body may be of a megabyte. */
const PRUNED_MAX = 10;

/** Whether there may be something to do: asked every second, so it must cost next to nothing. */
export async function isWorkDue(db: Database, nowMs: number, batchMs: number): Promise<boolean> {
  if (!(await anyWebhook(db))) return false;
  const look = await readLook(db);
  if (isLookDue(look, nowMs) || nowMs >= look.batchedAt + batchMs) return true;
  return isAnyFailingSince(db, nowMs - FAILING_MAX_MS);
}

/**
 * The start of what webhooks need by the clock: notes that somebody looks, empties the queues of those
 * that get no events, and starts a batch where one is due.
 * @returns whether a batch is started, and its first part of posts to cut, or null
 */
export async function lookAfterWebhooks(
  db: Database,
  clock: Clock,
  { batchMs }: { batchMs: number },
): Promise<{ isBatch: boolean; part: Part | null }> {
  await inTransaction(db, clock, "webhooks-look", (tx) => noteLook(tx, clock.now()));
  await endUnserved(db, clock);
  const isBatch = await inTransaction(db, clock, "webhooks-look", async (tx) => {
    const nowMs = clock.now();
    if (nowMs < (await readLook(tx)).batchedAt + batchMs) return false;
    await updateLook(tx, { batchedAt: nowMs });
    return true;
  });
  return { isBatch, part: isBatch ? nextPart(db) : null };
}

/**
 * Cuts a part's posts for its webhooks, one after another, until it has held the lock for long enough.
 * @returns how many are done
 */
export function cutPart(db: Database, clock: Clock, { wanted, last }: Part): Promise<number> {
  return inTransaction(db, clock, "cut-events", async (tx) => {
    const nowMs = clock.now();
    await noteLook(tx, nowMs);
    const endAtMs = clock.monotonic() + CUT_MS;
    const texts: PostTexts = new Map();
    let cut = 0;
    for (const one of wanted) {
      await cutEvents(tx, one, last, nowMs, texts);
      cut += 1;
      if (clock.monotonic() >= endAtMs) break;
    }
    return cut;
  });
}

/** Ends a part whose webhooks have all been cut. @returns the next one, or null */
export async function leavePart(
  db: Database,
  clock: Clock,
  { last }: Pick<Part, "last">,
): Promise<Part | null> {
  await inTransaction(db, clock, "cut-events", (tx) => forgetReadPosts(tx, last));
  return nextPart(db);
}

/** Disables what has failed for a day. @returns the numbers of those webhooks */
async function disableFailed(db: Database, clock: Clock): Promise<number[]> {
  if ((await failing(db, clock.now())).length === 0) return [];
  const disabled = await inTransaction(db, clock, "disable-failed", (tx) =>
    disableFailing(tx, clock.now()),
  );
  await emptyQueues(db, clock, disabled);
  return disabled;
}

/** Removes deliveries and bodies that are old enough. */
export async function pruneDeliveries(db: Database, clock: Clock): Promise<void> {
  const nowMs = clock.now();
  for (const old of [oldDeliveries, oldBodies]) {
    for (let after = 0; ; ) {
      const ids = await old.find(db, nowMs, after);
      const last = ids.at(-1);
      if (last === undefined) break;
      let at = 0;
      await inParts(db, clock, "prune-deliveries", async (tx) => {
        await old.remove(tx, ids.slice(at, at + PRUNED_MAX));
        at += PRUNED_MAX;
        return at < ids.length;
      });
      after = last;
    }
  }
}

/**
 * Ends what waits for webhooks that get no events. Their day of failures ends too: they are not disabled
 * for it.
 */
async function endUnserved(db: Database, clock: Clock): Promise<void> {
  const dead = await deadQueues(db, clock.now());
  if (dead.length === 0) return;
  await emptyQueues(db, clock, dead);
  await inTransaction(db, clock, "webhooks-look", async (tx) => {
    for (const id of await deadQueues(tx, clock.now())) {
      await updateWebhook(tx, id, { failingSince: null });
    }
  });
}

/**
 * Disables what has failed for a day. Where nobody made the attempts for more than an hour of it,
 * those that fell due meanwhile come first.
 */
async function disableFailing(tx: Transaction, nowMs: number): Promise<number[]> {
  const failed = await failing(tx, nowMs);
  for (const id of failed) await disableForFailures(tx, id, nowMs);
  return failed;
}

async function failing(db: Database, nowMs: number): Promise<number[]> {
  const { overdueUntil } = await readLook(db);
  const failingSince = nowMs - FAILING_MAX_MS;
  return selectFailing(db, { failingSince, downMaxMs: DOWN_MAX_MS, overdueUntil });
}

async function disableForFailures(tx: Transaction, id: number, nowMs: number): Promise<void> {
  const webhook = await selectWebhook(tx, id);
  if (webhook === undefined) return;
  await disable(tx, id, "failures", nowMs);
  const { organizationId } = webhook;
  const members = await selectMembers(tx, organizationId);
  const managers = members.filter(
    ({ role, suspendedAt }) => role !== "member" && suspendedAt === null,
  );
  const organization = await selectOrganization(tx, organizationId);
  const mail = disabledMail(webhook, organization?.name ?? "");
  // A message each: what one server refuses for one must not be sent to the others again.
  for (const { email } of managers) await queueMail(tx, nowMs, { to: [email], ...mail });
}
