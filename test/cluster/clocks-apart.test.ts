import { beforeEach, describe, expect, test } from "bun:test";
import { channel, imported } from "../support/expectations.ts";
import { hasPostgres } from "../support/postgres.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";

/** Each node's clock may differ from PostgreSQL's by five seconds. */
const APART_MS = 9_500;
const MINUTE_MS = 60_000;

newClusterEachTest({ clocksApartMs: APART_MS });
let key: string;

const json = { "content-type": "application/json" };

beforeEach(async () => {
  if (!hasPostgres) return;
  await imported(one, "channels", [channel(1)]);
  ({ key } = await one.customer({ access: "read_write" }));
  const body = JSON.stringify({ url: "https://receiver.example/hook", channels: [1] });
  const made = await one.request("/v1/msgr/webhooks/", {
    ...{ key, method: "POST", headers: json, body },
  });
  expect(made.status).toBe(201);
});

/** Lets a node do its due webhook work on an up-to-date copy. */
async function work(node: typeof one): Promise<void> {
  await node.copy();
  await node.app.push.runDue();
  await cluster.copyAll();
}

/** The pending delivery's due time and the failing webhook's times. */
const times = () =>
  one.db
    .prepare(
      `SELECT d.next_attempt_at, w.failing_since, w.down_ms
       FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.state = 'pending'`,
    )
    .all();

/** Times of a delivery that has failed for some minutes and is retried in a quarter of an hour. */
async function failing(): Promise<unknown[]> {
  const { clock, network } = cluster.ports;
  network.answer = () => ({ status: 500 });
  await work(one);
  const published_at = new Date(clock.now()).toISOString();
  await imported(one, "posts", [{ id: 1, channel: 1, text: "Пост", published_at }]);
  for (let minutes = 0; minutes < 8; minutes++) {
    clock.advance(MINUTE_MS);
    await work(one);
  }
  expect(times()).toHaveLength(1);
  return times();
}

describe.skipIf(!hasPostgres)("while the clocks of two nodes differ by nearly ten seconds", () => {
  test("attempts that callers wait for on one node leave the retries of the other where they are", async () => {
    const before = await failing();
    for (let tests = 0; tests < 3; tests++) {
      const tested = await other.request("/v1/msgr/webhooks/1/test/", { key, method: "POST" });
      expect(tested.status).toBe(200);
      await work(one);
      expect(times()).toEqual(before);
      cluster.ports.clock.advance(MINUTE_MS);
    }
  });

  test("a node that takes over the retries leaves them where they are", async () => {
    const before = await failing();
    for (const node of [other, one, other]) {
      await work(node);
      expect(times()).toEqual(before);
    }
  });
});
