import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Receiver, startReceiver } from "../support/https-receiver.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { until } from "../support/until.ts";
import {
  createWebhook,
  importPosts,
  posts,
  pushing,
  readEvent,
  unfinished,
  withCustomers,
} from "../support/webhook-journey.ts";

const WEBHOOKS = 5;

let machine: Machine;
let receiver: Receiver | null = null;
beforeEach(() => {
  machine = createMachine();
});
afterEach(async () => {
  await machine.leave();
  await receiver?.close();
});

test("stopped while receivers hang, it releases the attempts, and the next start resumes them", async () => {
  let hangs = true;
  const made = await startReceiver(() => (hangs ? "hang" : { status: 200 }));
  receiver = made;
  const [customer] = await withCustomers(machine, { customers: 1, channels: 1 });
  const serving = await machine.serve(["serve"], pushing());
  for (let at = 0; at < WEBHOOKS; at++) {
    await createWebhook(serving, customer, made, `/hook/${at}`, [1]);
  }
  await importPosts(machine, posts(1, 3));
  await until(() => made.requests.length >= WEBHOOKS, "attempts that hang");

  const stoppedAtMs = performance.now();
  // `app.test.ts` tests how long it waits at most.
  expect(await serving.stop()).toBe(0);
  console.info(`ended after ${(performance.now() - stoppedAtMs).toFixed(0)} ms`);
  expect(unfinished(machine)).toEqual({ read: 0, pending: WEBHOOKS, claimed: 0, lost: 0 });

  hangs = false;
  const hung = made.requests.length;
  const next = await machine.serve(["serve"], pushing());
  await until(() => unfinished(machine).pending === 0, "the attempts once more");
  const deliveries = made.requests.map((request) => readEvent(request).delivery);
  expect(deliveries.slice(hung).toSorted()).toEqual(deliveries.slice(0, WEBHOOKS).toSorted());
  expect(await next.stop()).toBe(0);
});

test("stopped while answers are on their way, it waits for them and records them", async () => {
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
  await until(() => answers > 0, "a first answer");
  expect(await serving.stop()).toBe(0);
  const [{ delivered } = { delivered: -1 }] = machine.query<{ delivered: number }>(
    "SELECT count(*) AS delivered FROM webhook_deliveries WHERE state = 'delivered'",
  );
  expect(delivered).toBe(answers);
  expect(unfinished(machine)).toMatchObject({ claimed: 0, lost: 0 });

  const next = await machine.serve(["serve"], pushing());
  await until(() => unfinished(machine).pending === 0, "the deliveries that were left");
  expect(await next.stop()).toBe(0);
  expect(answers).toBe(3 * WEBHOOKS);
});

test("deliveries that fell due during a downtime are attempted after the start", async () => {
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
  await until(() => noted() === WEBHOOKS, "the first attempts");
  expect(await serving.stop()).toBe(0);

  // The file as it would be after two hours without any process.
  agedBy(machine, 2 * 3_600_000);
  isUp = true;
  // `ladder.test.ts` tests that this takes at most a minute.
  const next = await machine.serve(["serve"], waits);
  await until(() => noted() === 2 * WEBHOOKS, "the attempts that fell due");
  expect(unfinished(machine)).toEqual({ read: 0, pending: 0, claimed: 0, lost: 0 });
  expect(await next.stop()).toBe(0);
});

/** Moves every instant that the push uses into the past. */
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
