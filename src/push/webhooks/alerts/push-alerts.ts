import { tokensOf } from "../../../catalog/post-search/tokens.ts";
import type { Database, Transaction } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { inParts, inSlice } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { dayOf, HOUR_MS, startOfDay } from "../../../values/moscow-time.ts";
import { addDelivery } from "../delivery/deliveries.store.ts";
import { eventBody, eventsOf, FRESH_MS, type PostTexts } from "../events/cut-events.ts";
import { noteHeartbeat } from "../events/heartbeat.ts";
import { selectWebhook } from "../manage/webhooks.store.ts";
import {
  dueDigest,
  emptyDigest,
  forgetAlertPosts,
  lastAlertSequence,
  mailedMembers,
  noteAlertChange,
  noteAlertCut,
  putInDigest,
  selectAlert,
} from "./alerts.store.ts";
import type { Alert, Digest } from "./alerts.table.ts";
import { mailDigest } from "./digest-mail.ts";
import { ALERT_POSTS_A_DAY, currentAlerts } from "./loaded-alerts.ts";
import { pausedFrom } from "./manage-alerts.ts";
import { readAlertPosts, selectDigest, selectMatched, toFacts } from "./match-posts.store.ts";

/** How long one step of matching may take: the sender's database work waits on the same thread. */
const MATCH_MS = 10;
/** Posts per step, however quickly they are matched, for instance without any alerts. */
const STEP_POSTS_MAX = 500;

/** Result of a step: how much it read, and the matches. A step that only loads alerts reads no posts. */
interface MatchedPosts {
  /** Sequence of its last post; that of the step before if it has none. */
  last: number;
  posts: number;
  /** Length of the posts' texts. */
  characters: number;
  matched: Matched[];
}

/** An alert, and the sequences of the posts that match it. */
interface Matched {
  alertId: number;
  sequences: number[];
}

/** Matches some posts after a sequence; null if there are none. Synchronous, outside any transaction. */
export function matchPosts(
  db: Database,
  clock: Clock,
  { after }: { after: number },
): MatchedPosts | null {
  const endAtMs = clock.monotonic() + MATCH_MS;
  const isOver = (): boolean => clock.monotonic() >= endAtMs;
  // Read before the alerts: one created in between gets only posts that are read later.
  const until = lastAlertSequence(db);
  const index = currentAlerts(db, dayOf(clock.now()), isOver);
  if (index === null) return { last: after, posts: 0, characters: 0, matched: [] };
  const matched = new Map<number, number[]>();
  let last = after;
  let posts = 0;
  let characters = 0;
  for (const row of readAlertPosts(db, { after, until })) {
    last = row.sequence;
    posts += 1;
    characters += row.text.length;
    const found = index.size === 0 ? [] : index.alertsOf(tokensOf(row.text), toFacts(row));
    for (const alertId of found) {
      const sequences = matched.get(alertId);
      if (sequences === undefined) matched.set(alertId, [last]);
      else sequences.push(last);
    }
    if (posts >= STEP_POSTS_MAX || isOver()) break;
  }
  if (posts === 0) return null;
  const list = [...matched].map(([alertId, sequences]) => ({ alertId, sequences }));
  return { last, posts, characters, matched: list };
}

/** Queued posts to remove per step. */
const FORGOTTEN_MAX = 200;

/** Some of the queued posts, with the alerts that they match. */
interface MatchedPart {
  /** Sequence of its last post. */
  last: number;
  matched: Matched[];
}

/**
 * Puts matching posts into events, alert by alert, until the slice is over. The same
 * transaction advances each alert past these posts, so that none is sent to it twice.
 * @returns how many alerts are done
 */
export function cutMatches(
  db: Database,
  clock: Clock,
  { matched, last }: MatchedPart,
): Promise<number> {
  return inSlice(db, clock, "cut-alerts", async (tx, isOver) => {
    const nowMs = clock.now();
    await noteHeartbeat(tx, nowMs);
    const shared = { last, nowMs, texts: new Map(), pausedFrom: new Map() };
    let cut = 0;
    for (const one of matched) {
      await cutAlert(tx, one, shared);
      cut += 1;
      if (isOver()) break;
    }
    return cut;
  });
}

/** Ends a part once all its alerts are done: removes its posts from the queue. */
export async function endMatchedPart(
  db: Database,
  clock: Clock,
  { last }: Pick<MatchedPart, "last">,
): Promise<void> {
  await inParts(
    db,
    clock,
    "cut-alerts",
    async (tx) => (await forgetAlertPosts(tx, { last, rowsMax: FORGOTTEN_MAX })) === FORGOTTEN_MAX,
  );
}

/** What the alerts processed in one transaction share. */
interface Shared {
  /** Sequence of the part's last post. */
  last: number;
  nowMs: number;
  texts: PostTexts;
  /** Number of the first paused alert, by organization; filled as needed. */
  pausedFrom: Map<number, number>;
}

/** Puts the posts that one alert gets into events, up to its limit of the day. */
async function cutAlert(
  tx: Transaction,
  { alertId, sequences }: Matched,
  { last, nowMs, texts, pausedFrom: known }: Shared,
): Promise<void> {
  const alert = await selectAlert(tx, { id: alertId });
  if (alert === undefined) return;
  const { webhookId, organizationId } = alert;
  const webhook = await selectWebhook(tx, { id: webhookId });
  // A disabled webhook's alert misses these posts: it continues with those read after enabling.
  if (webhook?.disabledReason !== "") return;
  const from = known.get(organizationId) ?? (await pausedFrom(tx, organizationId, nowMs));
  known.set(organizationId, from);
  if (alertId >= from) return;
  const today = dayOf(nowMs);
  const sentToday = alert.sentDay === today ? alert.sentPosts : 0;
  const postIds = selectMatched(tx, {
    alertId,
    sequences,
    freshFrom: nowMs - FRESH_MS,
    limit: ALERT_POSTS_A_DAY - sentToday,
  });
  if (postIds.length === 0) return;
  const dueAt = digestDueAt(alert.digest, nowMs);
  if (dueAt === null) await sendMatches(tx, alert, postIds, nowMs, texts);
  else await putAllInDigest(tx, { alertId, way: "webhook", dueAt }, postIds);
  if ((await mailedMembers(tx, { alertId })).length > 0) {
    // Mails come hourly at most.
    const mailedAt = dueAt ?? nextHour(nowMs);
    await putAllInDigest(tx, { alertId, way: "mail", dueAt: mailedAt }, postIds);
  }
  const sentPosts = sentToday + postIds.length;
  await noteAlertCut(tx, { id: alertId, last, sentDay: today, sentPosts });
  // Every process then drops the alert from memory for the rest of the day.
  if (sentPosts >= ALERT_POSTS_A_DAY) await noteAlertChange(tx, { alertId });
}

/** When the digest that begins now is due; null if matches are sent as they are read. */
function digestDueAt(digest: Digest, nowMs: number): number | null {
  if (digest === "each") return null;
  return digest === "hourly" ? nextHour(nowMs) : startOfDay(dayOf(nowMs) + 1);
}

const nextHour = (nowMs: number): number => (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;

async function putAllInDigest(
  tx: Transaction,
  digest: { alertId: number; way: "webhook" | "mail"; dueAt: number },
  postIds: readonly number[],
): Promise<void> {
  for (const postId of postIds) await putInDigest(tx, { ...digest, postId });
}

async function sendMatches(
  tx: Transaction,
  { id, name, webhookId }: Alert,
  postIds: readonly number[],
  nowMs: number,
  texts: PostTexts,
): Promise<void> {
  const event = "post.matched";
  for (const { postIds: ids, posts } of eventsOf(tx, postIds, texts)) {
    const body = eventBody(event, webhookId, nowMs, posts, { id, name });
    await addDelivery(tx, { webhookId, event, postIds: ids, body, nowMs, alertId: id });
  }
}

/**
 * Queues the events and mails of digests that are due, one by one, until the slice is over. They and their
 * posts' leaving the digest are one transaction, so that a kill neither loses nor repeats any.
 * @param address as for `mailDigest`
 * @returns whether some may be left
 */
export function cutDigests(
  db: Database,
  clock: Clock,
  { address }: { address: string | null },
): Promise<boolean> {
  return inSlice(db, clock, "cut-alerts", async (tx, isOver) => {
    const nowMs = clock.now();
    await noteHeartbeat(tx, nowMs);
    while (!isOver()) {
      const due = await dueDigest(tx, { nowMs });
      if (due === undefined) return false;
      const { alertId: id, way } = due;
      const alert = await selectAlert(tx, { id });
      const webhook = alert && (await selectWebhook(tx, { id: alert.webhookId }));
      // As for other events, nothing is kept for a disabled webhook or a plan without the alert.
      if (alert && webhook?.disabledReason === "") {
        const isIncluded = id < (await pausedFrom(tx, alert.organizationId, nowMs));
        const posts = isIncluded ? selectDigest(tx, { ...due, nowMs }) : [];
        const ids = posts.map((post) => post.id);
        if (way === "mail") await mailDigest(tx, alert, posts, nowMs, address);
        else await sendMatches(tx, alert, ids, nowMs, new Map());
      }
      await emptyDigest(tx, { ...due, nowMs });
    }
    return true;
  });
}

/** Work for alerts that runs on a timer, on the thread that writes it. */
export const alertWork = { matchPosts, cutMatches, endMatchedPart, cutDigests };

export type AlertWork = Calls<typeof alertWork>;

/** Limits of a part: posts, characters of their texts, and matches. */
const PART_POSTS_MAX = 500;
const PART_CHARACTERS_MAX = 400_000;
const PART_MATCHES_MAX = 100_000;
/** Time per turn; the next look continues. Events of watched channels come before those of alerts. */
const TURN_MS = 2_000;

/**
 * Matches new posts with alerts, and puts matches into events, turn by turn. A part that a turn does not
 * finish is kept for the next one. After a kill it is matched again; alerts that have advanced past it do
 * not get it twice.
 * @param address as for `mailDigest`
 */
export function createAlertTurns(work: AlertWork, clock: Clock, address: string | null) {
  let left: MatchedPart | null = null;
  let isDigestLeft = false;

  return {
    /** Whether the last turn left work for another. */
    isLeft: (): boolean => left !== null || isDigestLeft,

    async turn(): Promise<void> {
      const endAtMs = clock.monotonic() + TURN_MS;
      const isOver = (): boolean => clock.monotonic() >= endAtMs;
      do isDigestLeft = await work.cutDigests({ address });
      while (isDigestLeft && !isOver());
      do {
        left ??= await nextPart(work, isOver);
        if (left === null) return;
        while (left.matched.length > 0) {
          const done = await work.cutMatches(left);
          left = { ...left, matched: left.matched.slice(done) };
          if (isOver()) return;
        }
        await work.endMatchedPart({ last: left.last });
        left = null;
      } while (!isOver());
      left = await nextPart(work, isOver);
    },
  };
}

/**
 * Matches posts until a part is full, so that an alert's posts in it make few events.
 * @returns null if no post is waiting, or the time was up before all alerts were loaded
 */
async function nextPart(work: AlertWork, isOver: () => boolean): Promise<MatchedPart | null> {
  const matched = new Map<number, number[]>();
  let [last, posts, characters, matches] = [0, 0, 0, 0];
  while (posts < PART_POSTS_MAX && characters < PART_CHARACTERS_MAX && matches < PART_MATCHES_MAX) {
    const step = await work.matchPosts({ after: last });
    if (step === null) break;
    last = step.last;
    posts += step.posts;
    characters += step.characters;
    for (const { alertId, sequences } of step.matched) {
      matches += sequences.length;
      matched.set(alertId, [...(matched.get(alertId) ?? []), ...sequences]);
    }
    if (isOver()) break;
  }
  if (posts === 0) return null;
  return { last, matched: [...matched].map(([alertId, of]) => ({ alertId, sequences: of })) };
}
