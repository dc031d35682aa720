import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Receiver, startReceiver } from "../support/https-receiver.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import {
  createWebhook,
  importPosts,
  posts,
  pushing,
  readEvent,
  unfinished,
  withCustomers,
  within,
} from "../support/webhook-journey.ts";

const WEBHOOKS = 5;
/** Whoever kills what has not ended after 10 seconds must not come to it. */
const STOP_MAX_MS = 9_500;

let machine: Machine;
let receiver: Receiver | null = null;
beforeEach(() => {
  machine = createMachine();
});
afterEach(async () => {
  await machine.leave();
  await receiver?.close();
});

test("told to stop while receivers hang it ends in time, and the next start takes up the attempts", async () => {
  let hangs = true;
  const made = await startReceiver(() => (hangs ? "hang" : { status: 200 }));
  receiver = made;
  const [customer] = await withCustomers(machine, { customers: 1, channels: 1 });
  const serving = await machine.serve(["serve"], pushing());
  for (let at = 0; at < WEBHOOKS; at++) {
    await createWebhook(serving, customer, made, `/hook/${at}`, [1]);
  }
  await importPosts(machine, posts(1, 3));
  await within(10_000, () => made.requests.length === WEBHOOKS, "attempts that hang");

  const toldAtMs = performance.now();
  const stopped = serving.stop();
  await within(10_000, () => unfinished(machine).claimed === 0, "the release of what is in flight");
  const releaseMs = performance.now() - toldAtMs;
  expect(await stopped).toBe(0);
  const stopMs = performance.now() - toldAtMs;
  console.info(`released after ${releaseMs.toFixed(0)} ms, ended after ${stopMs.toFixed(0)} ms`);
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
  expect(unfinished(machine)).toEqual({ read: 0, pending: WEBHOOKS, claimed: 0, lost: 0 });

  hangs = false;
  const startedAtMs = performance.now();
  const next = await machine.serve(["serve"], pushing());
  await within(5_000, () => made.requests.length === 2 * WEBHOOKS, "the attempts once more");
  console.info(`attempted ${(performance.now() - startedAtMs).toFixed(0)} ms after the start`);
  await within(5_000, () => unfinished(machine).pending === 0, "their notes");
  const deliveries = made.requests.map((request) => readEvent(request).delivery);
  expect(deliveries.slice(WEBHOOKS).toSorted()).toEqual(deliveries.slice(0, WEBHOOKS).toSorted());
  expect(await next.stop()).toBe(0);
}, 60_000);

test("told to stop, it waits for the answers that are on their way and notes them", async () => {
  let answers = 0;
  const made = await startReceiver(() => {
    answers += 1;
    return { status: 200 };
  });
  receiver = made;
  const [customer] = await withCustomers(machine, { customers: 1, channels: 1 });
  const serving = await machine.serve(["serve"], pushing());
  for (let at = 0; at < WEBHOOKS; at++) {
    await createWebhook(serving, customer, made, `/hook/${at}`, [1]);
  }
  await importPosts(machine, posts(1, 250));
  await within(10_000, () => answers > 0, "a first answer");
  expect(await serving.stop()).toBe(0);
  const [{ delivered } = { delivered: -1 }] = machine.query<{ delivered: number }>(
    "SELECT count(*) AS delivered FROM webhook_deliveries WHERE state = 'delivered'",
  );
  expect(delivered).toBe(answers);
  expect(unfinished(machine)).toMatchObject({ claimed: 0, lost: 0 });

  const next = await machine.serve(["serve"], pushing());
  await within(10_000, () => unfinished(machine).pending === 0, "the deliveries that were left");
  expect(await next.stop()).toBe(0);
  expect(answers).toBe(3 * WEBHOOKS);
}, 60_000);

test("what fell due while it was down is attempted within a minute of the start", async () => {
  let isUp = false;
  const made = await startReceiver(() => ({ status: isUp ? 200 : 500 }));
  receiver = made;
  const [customer] = await withCustomers(machine, { customers: 1, channels: 1 });
  const waits = pushing({ KANALOG_WEBHOOK_RETRIES: "1h" });
  const serving = await machine.serve(["serve"], waits);
  for (let at = 0; at < WEBHOOKS; at++) {
    await createWebhook(serving, customer, made, `/hook/${at}`, [1]);
  }
  await importPosts(machine, posts(1, 3));
  const noted = () => machine.query("SELECT id FROM webhook_attempts").length;
  await within(10_000, () => noted() === WEBHOOKS, "the first attempts");
  expect(await serving.stop()).toBe(0);

  // The file as it would be after two hours in which no process ran.
  agedBy(machine, 2 * 3_600_000);
  isUp = true;
  const startedAtMs = performance.now();
  const next = await machine.serve(["serve"], waits);
  const startMs = performance.now() - startedAtMs;
  await within(60_000 - startMs, () => noted() === 2 * WEBHOOKS, "the attempts that fell due");
  console.info(
    `all within ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s of the start`,
  );
  expect(unfinished(machine)).toEqual({ read: 0, pending: 0, claimed: 0, lost: 0 });
  expect(await next.stop()).toBe(0);
}, 90_000);

/** Moves every instant that the push goes by into the past. */
function agedBy(on: Machine, byMs: number): void {
  const db = on.open();
  try {
    for (const [table, column] of [
      ["webhook_look", "batched_at"],
      ["webhook_look", "looked_at"],
      ["webhook_deliveries", "created_at"],
      ["webhook_deliveries", "next_attempt_at"],
      ["webhook_attempts", "attempted_at"],
      ["webhooks", "failing_since"],
    ]) {
      db.prepare(`UPDATE ${table} SET ${column} = ${column} - ?`).run(byMs);
    }
  } finally {
    db.close();
  }
}
