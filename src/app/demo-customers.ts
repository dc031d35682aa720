import { seeded } from "../catalog/sample/demo-world.ts";
import type { Accounts } from "../customers/accounts/accounts.ts";
import { COMMAND_LINE } from "../customers/audit/audit-log.ts";
import type { Keys } from "../customers/keys/keys.ts";
import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../ports/clock.ts";
import { eventBody } from "../push/webhooks/events/cut-events.ts";
import { writeHour } from "../upkeep/hours/hours.store.ts";
import { classOf } from "../upkeep/hours/hours.ts";
import { DAY_MS, dayOf, HOUR_MS } from "../values/moscow-time.ts";
import type { SecretBox } from "../values/secret-box.ts";

/**
 * Customers of the demonstration: organizations with plans, keys and months of made-up traffic, and webhooks of
 * which one has failed and recovered and one fails now. Their receivers' host exists nowhere.
 */
const CUSTOMERS = [
  ["Наблюдатель", "profi", 9_000],
  ["Agency North", "growth", 3_100],
  ["Рыночный обзор", "growth", 1_200],
  ["Campus Lab", "start", 420],
  ["Пробный клиент", "test", 25],
] as const;
const METHODS = [
  ["msgr_channels_list", 0.34],
  ["msgr_channels_retrieve", 0.28],
  ["msgr_stats_daily_list", 0.18],
  ["msgr_posts_search_list", 0.14],
  ["msgr_channels_compare_list", 0.06],
] as const;
/** Days of traffic; the period that is running began in the middle of the last of them. */
const DAYS = 75;
const PERIOD_STARTED_DAYS_AGO = 15;
const HOURS = 7 * 24;

interface Parts {
  db: Database;
  clock: Clock;
  keys: Keys;
  accounts: Accounts;
  secrets(): Promise<SecretBox>;
}

/** Prices a month, so that the pages of plans show some. */
const PRICES = [
  ["test", 0],
  ["start", 1_900],
  ["growth", 4_900],
  ["profi", 14_900],
] as const;

export async function loadDemoCustomers({ db, clock, keys, accounts, secrets }: Parts) {
  for (const [plan, price] of PRICES) {
    await accounts.changeOffer(plan, { price, currency: "EUR" }, COMMAND_LINE);
  }
  const random = seeded(7);
  const now = clock.now();
  for (const [at, [organization, plan, perDay]] of CUSTOMERS.entries()) {
    const { made } = await keys.createCustomer(
      {
        ...{ organization, plan, name: "", email: `owner-${at + 1}@example.com` },
        key: { name: "production", access: "read_write" },
      },
      COMMAND_LINE,
    );
    const { id: organizationId } = made.organization;
    const box = await secrets();
    const secret = box.seal(box.create());
    await inTransaction(db, clock, "demo", (tx) => {
      const since = now - DAYS * DAY_MS;
      tx.prepare("UPDATE organizations SET created_at = ?, plan_started_at = ? WHERE id = ?").run(
        ...[since, since, organizationId],
      );
      putUsage(tx, { organizationId, keyId: made.key.id, perDay, now, random });
      if (at < 2) putWebhook(tx, { organizationId, secret, isFailing: at === 1, now });
    });
    if (plan === "start") {
      const note = "Нужны вебхуки для двух редакций.";
      const request = { organizationId, plan: "growth", note } as const;
      await accounts.requestPlan(request, { person: made.owner.email, keyId: null });
    }
  }
  for (let back = HOURS - 1; back >= 0; back -= 1) {
    const startedAt = Math.floor(now / HOUR_MS) * HOUR_MS - back * HOUR_MS;
    const requests = Math.round(400 * (0.3 + random()));
    const durations = new Map([
      [classOf(2_000), Math.round(requests * 0.9)],
      [classOf(30_000), Math.round(requests * 0.1)],
    ]);
    const noted = { errors: random() < 0.05 ? 1 : 0, durationUs: requests * 4_200 };
    await writeHour(db, clock, { startedAt, requests, ...noted, slowestUs: 61_000, durations });
  }
}

interface Use {
  organizationId: number;
  keyId: number;
  perDay: number;
  now: number;
  random: () => number;
}

function putUsage(tx: Database, { organizationId, keyId, perDay, now, random }: Use): void {
  const day = tx.prepare("INSERT INTO usage_days VALUES (?, ?, ?, ?, ?, ?, ?)");
  let used = 0;
  for (let back = DAYS; back >= 0; back -= 1) {
    const today = dayOf(now) - back;
    const load = (1 - back / (2 * DAYS)) * (0.7 + 0.6 * random()) * ((today + 4) % 7 < 2 ? 0.4 : 1);
    for (const [method, part] of METHODS) {
      const requests = Math.round(perDay * part * load);
      if (requests === 0) continue;
      day.run(...[organizationId, today, method, keyId, 200, requests, requests]);
      if (back < PERIOD_STARTED_DAYS_AGO) used += requests;
    }
    const missed = Math.round(perDay * 0.01 * load);
    if (missed > 0) day.run(...[organizationId, today, METHODS[1][0], keyId, 404, missed, 0]);
  }
  tx.prepare("INSERT INTO usage_periods VALUES (?, ?, ?)").run(
    ...[organizationId, now - PERIOD_STARTED_DAYS_AGO * DAY_MS, used],
  );
  tx.prepare("UPDATE keys SET last_used_at = ? WHERE id = ?").run(now - 60_000, keyId);
}

interface DemoWebhook {
  organizationId: number;
  secret: Uint8Array;
  isFailing: boolean;
  now: number;
}

/** A webhook with two days of deliveries. For some hours its receiver answered 503; the failing one still does. */
function putWebhook(tx: Database, { organizationId, secret, isFailing, now }: DemoWebhook): void {
  const channels = Array.from({ length: 12 }, (_, at) => 1 + ((at * 23 + organizationId) % 300));
  const failsFrom = now - (isFailing ? 3 : 20) * HOUR_MS;
  const failsUntil = isFailing ? now : now - 16 * HOUR_MS;
  const { lastInsertRowid: id } = tx
    .prepare(
      `INSERT INTO webhooks (organization_id, url, secret, disabled_reason, since_sequence,
         failing_since, last_success_at, last_duration_ms, last_error, created_at, updated_at)
       VALUES (?, ?, ?, '', 0, ?, ?, 84, ?, ?, ?)`,
    )
    .run(
      ...[organizationId, `https://receiver-${organizationId}.invalid/kanalog`, secret],
      ...(isFailing ? [failsFrom, failsFrom, "HTTP 503"] : [null, now - HOUR_MS, ""]),
      ...[now - 40 * DAY_MS, now - DAY_MS],
    );
  const list = tx.prepare("INSERT INTO webhook_lists VALUES (?, ?)");
  list.run(id, JSON.stringify(channels));
  const watch = tx.prepare("INSERT INTO webhook_channels VALUES (?, ?, 0)");
  for (const channel of channels) watch.run(channel, id);
  const deliver = tx.prepare(
    `INSERT INTO webhook_deliveries (webhook_id, event, posts, created_at, state, failures)
     VALUES (?, 'post.created', ?, ?, ?, ?)`,
  );
  const attempt = tx.prepare(
    `INSERT INTO webhook_attempts (delivery_id, attempted_at, status, error, duration_ms)
     VALUES (?, ?, ?, ?, ?)`,
  );
  const body = tx.prepare("INSERT INTO webhook_bodies VALUES (?, ?)");
  for (let at = now - 2 * DAY_MS; at < now - HOUR_MS; at += HOUR_MS) {
    const fails = at >= failsFrom && at < failsUntil;
    const state = fails && isFailing ? "failed" : "delivered";
    const made = deliver.run(id, "[1]", at, state, fails ? 1 : 0);
    const delivery = made.lastInsertRowid;
    body.run(delivery, eventBody("post.created", Number(id), at, []));
    if (fails) attempt.run(delivery, at + 1_000, 503, "HTTP 503", 31);
    if (state === "delivered") {
      const arrived = fails ? failsUntil + 2_000 : at + 1_000;
      attempt.run(delivery, arrived, 200, "", 60 + (Math.floor(at / HOUR_MS) % 50));
    }
  }
}
