import { call } from "../../../support/webhook-journey.ts";
import type { Stage } from "../row.ts";

const WEBHOOKS = "/v1/msgr/webhooks/";
/** Profi's limits. */
const WEBHOOKS_MAX = 5;
export const CHANNELS_MAX = 5_000;

interface Watching {
  path: string;
  id: number;
  channels: number[];
}

/** Creates as many webhooks as the plan allows, each with as many channels as possible, all different. */
export function watchAll(stage: Stage): Promise<Watching[]> {
  const each = eachOf(stage);
  return watch(stage, (at) => stage.data.channels.slice(at * each, (at + 1) * each));
}

/** Creates as many webhooks as the plan allows, all with the same channels, as many as possible. */
export function watchSame(stage: Stage): Promise<Watching[]> {
  return watch(stage, () => stage.data.channels.slice(0, eachOf(stage)));
}

function eachOf({ data }: Stage): number {
  return Math.min(CHANNELS_MAX, Math.floor(data.channels.length / WEBHOOKS_MAX));
}

async function watch(
  { data, serving, receiver }: Stage,
  channelsOf: (at: number) => number[],
): Promise<Watching[]> {
  const made: Watching[] = [];
  for (let at = 0; at < WEBHOOKS_MAX; at++) {
    const channels = channelsOf(at);
    const given = { url: `https://${receiver}/hook/${at}`, channels };
    const { key } = data.neighbour;
    const { status, body } = await call<{ id: number }>(serving, key, "POST", WEBHOOKS, given);
    if (status !== 201) throw new Error(`a webhook was answered ${status}`);
    made.push({ id: body.id, path: `${WEBHOOKS}${body.id}/`, channels });
  }
  return made;
}

/** Adds deliveries of a hundred posts with one attempt each, as they accumulate over time. */
export function addDeliveries(
  { machine }: Stage,
  webhook: number,
  { count, ageMs }: { count: number; ageMs: number },
): void {
  const db = machine.open();
  const createdAt = Date.now() - ageMs;
  const posts = JSON.stringify(Array.from({ length: 100 }, (_, at) => at + 1));
  const delivery = db.prepare(
    `INSERT INTO webhook_deliveries (webhook_id, event, posts, created_at, state)
     VALUES (?, 'post.created', ?, ?, 'delivered')`,
  );
  const attempt = db.prepare(
    `INSERT INTO webhook_attempts (delivery_id, attempted_at, status, error, duration_ms)
     VALUES (?, ?, 200, '', 12)`,
  );
  db.transaction(() => {
    for (let at = 0; at < count; at++) {
      const { lastInsertRowid } = delivery.run(webhook, posts, createdAt);
      attempt.run(lastInsertRowid, createdAt);
    }
  })();
  db.close();
}
