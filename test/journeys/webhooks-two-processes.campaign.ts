import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverAnswer,
  startReceiver,
} from "../support/https-receiver.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { until } from "../support/until.ts";
import {
  createWebhook,
  elapsed,
  importPosts,
  posts,
  pushing,
  readEvent,
  unfinished,
  withCustomers,
} from "../support/webhook-journey.ts";

const CUSTOMERS = 4;
const WEBHOOKS_EACH = 5;
const FAILURES = 2;
const RETRY_MS = 1_000;

let machine: Machine;
let receiver: Receiver | null = null;
beforeEach(() => {
  machine = createMachine();
});
afterEach(async () => {
  await machine.leave();
  await receiver?.close();
});

async function startedReceiver(
  answer: (request: ReceivedRequest) => ReceiverAnswer,
): Promise<Receiver> {
  receiver = await startReceiver(answer);
  return receiver;
}

test("two serving processes on one file make no attempt twice", async () => {
  const attemptsAtMs = new Map<number, number[]>();
  const made = await startedReceiver((request) => {
    const { delivery } = readEvent(request);
    const attempts = attemptsAtMs.get(delivery) ?? [];
    attemptsAtMs.set(delivery, attempts);
    attempts.push(performance.now());
    return { status: attempts.length > FAILURES ? 200 : 500 };
  });
  const customers = await withCustomers(machine, { customers: CUSTOMERS, channels: 1 });
  const servings = [
    await machine.serve(["serve"], pushing()),
    await machine.serve(["serve"], pushing()),
  ] as const;
  for (const customer of customers) {
    for (let at = 0; at < WEBHOOKS_EACH; at++) {
      await createWebhook(servings[0], customer, made, `/${customer.organization}/${at}`, [1]);
    }
  }
  const webhooks = CUSTOMERS * WEBHOOKS_EACH;
  for (let round = 0; round < 4; round++) await importPosts(machine, posts(round * 350 + 1, 350));
  const isFinished = () => {
    const { read, pending, claimed } = unfinished(machine);
    return read + pending + claimed === 0;
  };
  await until(isFinished, "the end of all deliveries");
  // Time in which a process would send anything more.
  await elapsed(1_500);
  expect(await Promise.all(servings.map((serving) => serving.stop()))).toEqual([0, 0]);

  const sent = new Map<string, number>();
  for (const request of made.requests) {
    const { webhook, delivery, posts: ids } = readEvent(request);
    for (const id of ids) {
      expect(sent.get(`${webhook} ${id}`) ?? delivery).toBe(delivery);
      sent.set(`${webhook} ${id}`, delivery);
    }
  }
  expect(sent.size).toBe(4 * 350 * webhooks);
  const counts = [...attemptsAtMs.values()].map(({ length }) => length);
  expect(counts.filter((count) => count !== FAILURES + 1)).toEqual([]);
  const gaps = [...attemptsAtMs.values()].flatMap((atMs) =>
    atMs.slice(1).map((at, index) => at - (atMs[index] ?? 0)),
  );
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(RETRY_MS);
  console.info(`${counts.length} deliveries, ${made.requests.length} attempts by two processes`);
});

test("attempts of a killed process are made by the other one after their lease has expired", async () => {
  let hangs = true;
  const made = await startedReceiver(() => (hangs ? "hang" : { status: 200 }));
  const [customer] = await withCustomers(machine, { customers: 1, channels: 1 });
  const killed = await machine.serve(["serve"], pushing());
  for (let at = 0; at < WEBHOOKS_EACH; at++) {
    await createWebhook(killed, customer, made, `/hook/${at}`, [1]);
  }
  await importPosts(machine, posts(1, 3));
  await until(() => made.requests.length === WEBHOOKS_EACH, "attempts that hang");
  hangs = false;
  process.kill(killed.pid, "SIGKILL");
  const other = await machine.serve(["serve"], pushing());
  await elapsed(2_500);
  expect(made.requests).toHaveLength(WEBHOOKS_EACH);

  // Ages the lease by 25 of its 30 seconds.
  const db = machine.open();
  db.exec("UPDATE webhook_deliveries SET claimed_until = claimed_until - 25000");
  db.close();
  await until(() => made.requests.length === 2 * WEBHOOKS_EACH, "the attempts once more");
  await until(() => unfinished(machine).pending === 0, "their notes");
  const deliveries = made.requests.map((request) => readEvent(request).delivery);
  expect(deliveries.slice(WEBHOOKS_EACH).toSorted()).toEqual(
    deliveries.slice(0, WEBHOOKS_EACH).toSorted(),
  );
  expect(await other.stop()).toBe(0);
  expect(unfinished(machine)).toEqual({ read: 0, pending: 0, claimed: 0, lost: 0 });
});
