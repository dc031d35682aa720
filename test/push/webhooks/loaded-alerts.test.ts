import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { tokensOf } from "../../../src/catalog/post-search/tokens.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { statement } from "../../../src/db/database.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import {
  ALERT_POSTS_A_DAY,
  currentAlerts,
} from "../../../src/push/webhooks/alerts/loaded-alerts.ts";
import { matchPosts } from "../../../src/push/webhooks/alerts/push-alerts.ts";
import { dayOf } from "../../../src/values/moscow-time.ts";
import { DAY_MS, MINUTE_MS, numbers, type Pushing, startPushing } from "../../support/pushing.ts";

/** Alerts loaded into memory follow those in the database. */

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

const never = (): boolean => false;
const alerts = () => {
  const { db } = pushing.appliance.app.domains;
  return currentAlerts(db, dayOf(pushing.now()), never);
};
const FACTS = { channelId: 3, isAd: false, categories: [], territories: [] };
const matching = (text: string) => alerts()?.alertsOf(tokensOf(text), FACTS);

async function made(q: string): Promise<number> {
  const body = { name: "A", q, webhook: pushing.id };
  return (await pushing.call("POST", "/v1/msgr/alerts/", body)).body.id;
}

describe("once all alerts are loaded", () => {
  test("only an alert that is created, changed or deleted is loaded again", async () => {
    const first = await made("ипотека");
    const before = alerts();
    const second = await made("погода");
    expect(matching("погода и ипотека")).toEqual([first, second]);
    await pushing.call("PATCH", `/v1/msgr/alerts/${first}/`, { q: "курс" });
    expect(matching("погода и ипотека")).toEqual([second]);
    await pushing.call("DELETE", `/v1/msgr/alerts/${second}/`);
    expect(matching("погода, курс")).toEqual([first]);
    expect(alerts()).toBe(before);
  });

  test("an alert that has reached the limit of the day is dropped; the next day all are loaded again", async () => {
    const full = await made("ипотека");
    const other = await made("ипотека погода");
    const before = alerts();
    await pushing.read(numbers(1, ALERT_POSTS_A_DAY), { channel: 3, text: "ипотека" });
    await pushing.pass(MINUTE_MS);
    expect(matching("ипотека, погода")).toEqual([other]);
    expect(alerts()).toBe(before);
    await pushing.pass(DAY_MS);
    expect(matching("ипотека, погода")).toEqual([full, other]);
  });

  test("only the alerts of a webhook that is disabled or enabled are loaded again", async () => {
    const id = await made("ипотека");
    const before = alerts();
    await pushing.change({ is_active: false });
    expect(matching("ипотека")).toEqual([]);
    await pushing.change({ is_active: true });
    expect(matching("ипотека")).toEqual([id]);
    expect(alerts()).toBe(before);
  });
});

test("all alerts are loaded again after more changes than are recorded", async () => {
  const id = await made("ипотека");
  const before = alerts();
  const { db } = pushing.appliance.app.domains;
  for (let at = 0; at < 600; at++) {
    await pushing.call("PATCH", `/v1/msgr/alerts/${id}/`, { q: at % 2 === 0 ? "курс" : "погода" });
  }
  const changes = statement<{ n: number }>(db, "SELECT count(*) AS n FROM alert_changes").get()?.n;
  expect(changes).toBe(500);
  expect(matching("погода")).toEqual([id]);
  expect(alerts()).not.toBe(before);
});

test("an alert that is created just before posts are matched gets the posts read after it", async () => {
  const { db } = pushing.appliance.app.domains;
  const clock = pushing.appliance.ports.clock;
  await made("ипотека");
  await pushing.read([1], { channel: 3, text: "ипотека" });
  /** Another process creates an alert and reads a post as soon as the alerts in memory are up to date. */
  let looks = 0;
  const tomorrow: Clock = {
    now: () => clock.now() + DAY_MS,
    sleep: clock.sleep,
    after: clock.after,
    endOfTurn: clock.endOfTurn,
    sinceBoot: clock.sinceBoot,
    processor: clock.processor,
    monotonic() {
      looks += 1;
      // One page of alerts and an empty one have been read.
      if (looks === 3) {
        db.exec(`
          INSERT INTO alerts (organization_id, webhook_id, name, q, since_sequence, created_at, updated_at)
            SELECT organization_id, webhook_id, 'B', 'ипотека', 1, created_at, updated_at FROM alerts;
          INSERT INTO alert_posts (post_id) VALUES (1)`);
      }
      return clock.monotonic();
    },
  };
  expect(matchPosts(db, tomorrow, { after: 0 })?.matched).toEqual([{ alertId: 1, sequences: [1] }]);
  expect(looks).toBeGreaterThanOrEqual(3);
  expect(matchPosts(db, tomorrow, { after: 1 })?.matched).toEqual([
    { alertId: 1, sequences: [2] },
    { alertId: 2, sequences: [2] },
  ]);
});

test("many alerts are loaded in steps, and a change meanwhile is not lost", async () => {
  const { accounts } = pushing.appliance.app.domains;
  await accounts.changePlan("profi", { alerts: 1_000 }, COMMAND_LINE);
  const ids: number[] = [];
  for (let at = 0; at < 120; at++) ids.push(await made(`слово${at}`));
  const { db } = pushing.appliance.app.domains;
  const tomorrow = dayOf(pushing.now() + DAY_MS);
  const step = () => currentAlerts(db, tomorrow, () => true);
  expect(step()).toBeNull();
  await pushing.call("PATCH", `/v1/msgr/alerts/${ids[0]}/`, { q: "другое" });
  await pushing.call("PATCH", `/v1/msgr/alerts/${ids[119]}/`, { q: "другое" });
  expect(step()).toBeNull();
  step();
  const found = step()?.alertsOf(tokensOf("слово0 слово60 слово119 другое"), FACTS);
  expect(found?.toSorted((one, other) => one - other)).toEqual([
    ids[0],
    ids[60],
    ids[119],
  ] as number[]);
});
