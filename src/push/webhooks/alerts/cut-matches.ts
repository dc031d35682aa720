import type { Database, Transaction } from "../../../db/database.ts";
import { inParts, inSlice } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import { dayOf } from "../../../values/moscow-time.ts";
import { addDelivery } from "../delivery/deliveries.store.ts";
import { eventsOf, FRESH_MS, type PostTexts } from "../events/cut-events.ts";
import { eventBody } from "../events/event-body.ts";
import { noteHeartbeat } from "../events/heartbeat.ts";
import { selectWebhook } from "../manage/webhooks.store.ts";
import { forgetAlertPosts, noteAlertChange, noteAlertCut, selectAlert } from "./alerts.store.ts";
import { ALERT_POSTS_A_DAY } from "./loaded-alerts.ts";
import { selectMatched } from "./match-posts.store.ts";
import type { Matched } from "./match-posts.ts";
import { pausedFrom } from "./paused-alerts.ts";

/** Queued posts to remove per step. */
const FORGOTTEN_MAX = 200;

/** Some of the queued posts, with the alerts that they match. */
export interface MatchedPart {
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
  const { webhookId, organizationId, name } = alert;
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
  for (const event of eventsOf(tx, postIds, texts)) {
    const body = eventBody("post.matched", webhookId, nowMs, event.posts, { id: alertId, name });
    const { postIds: ids } = event;
    const delivery = {
      webhookId,
      event: "post.matched",
      postIds: ids,
      body,
      nowMs,
      alertId,
    } as const;
    await addDelivery(tx, delivery);
  }
  if (postIds.length === 0) return;
  const sentPosts = sentToday + postIds.length;
  await noteAlertCut(tx, { id: alertId, last, sentDay: today, sentPosts });
  // Every process then drops the alert from memory for the rest of the day.
  if (sentPosts >= ALERT_POSTS_A_DAY) await noteAlertChange(tx, { alertId });
}
