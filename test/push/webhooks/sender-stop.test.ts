import { beforeEach, expect, test } from "bun:test";
import type { AttemptOutcome } from "../../../src/push/webhooks/delivery/attempt.ts";
import type {
  Claimed,
  DeliveryClaim,
  deliveryClaims,
} from "../../../src/push/webhooks/delivery/claim-due.ts";
import { createSender } from "../../../src/push/webhooks/delivery/sender.ts";
import { fakeClock, fakePorts } from "../../support/fake-ports.ts";

type Exchange = Parameters<typeof deliveryClaims.exchange>[2];

/** What the sender asked of the queue. */
let exchanges: Exchange[];
let released: DeliveryClaim[];
/** Deliveries to be claimed by the next exchange. */
let due: Claimed[];
let isFailing: boolean;
beforeEach(() => {
  [exchanges, released, due, isFailing] = [[], [], [], false];
});

const delivery = (id: number) => ({ id, webhookId: 1, claim: `claim ${id}` }) as Claimed;

function startSender(attempt: (signal: AbortSignal) => Promise<AttemptOutcome>) {
  const queue = {
    async exchange(exchange: Exchange) {
      exchanges.push(exchange);
      if (isFailing) throw new Error("the queue cannot be written");
      return due.splice(0);
    },
    releaseClaims: async (claims: DeliveryClaim[]) => void released.push(...claims),
  };
  return createSender(queue, (_, signal) => attempt(signal), [], fakePorts());
}

async function untilAborted(signal: AbortSignal): Promise<AttemptOutcome> {
  if (!signal.aborted) await new Promise((done) => signal.addEventListener("abort", done));
  return {} as AttemptOutcome;
}

test("a stop gives back deliveries claimed in advance, and those whose attempts it interrupts", async () => {
  const sender = startSender(untilAborted);
  due = [1, 2, 3, 4, 5, 6].map(delivery);
  await sender.pump();
  await sender.stop();
  expect(released.map(({ id }) => id)).toEqual([5, 6, 1, 2, 3, 4]);
  expect(exchanges.flatMap(({ ended }) => ended)).toEqual([]);
});

test("a resend that a stop interrupts is refused and given back", async () => {
  const sender = startSender(untilAborted);
  const resent = sender.attemptNow(1, "resend", async () => delivery(7));
  const refused = resent.catch((error) => error);
  await sender.stop();
  expect(await refused).toMatchObject({ code: "unavailable" });
  expect(released.map(({ id }) => id)).toEqual([7]);
  expect(exchanges).toEqual([]);
});

test("an outcome that could not be recorded is recorded with the next exchange", async () => {
  const outcome = { startedAt: 1, endedAt: 2, status: 204, error: "", durationMs: 1 };
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const sender = startSender(() => mayEnd.then(() => outcome));
  due = [delivery(1)];
  await sender.pump();
  isFailing = true;
  end();
  await sender.idle();
  isFailing = false;
  await sender.pump();
  await sender.idle();
  const recorded = exchanges.map(({ ended }) => ended.map(({ deliveryId }) => deliveryId));
  expect(recorded.at(-1)).toEqual([1]);
});

test("deliveries claimed while stopping are all released, also those waiting for their turn", async () => {
  const taken = Promise.withResolvers<Claimed[]>();
  const timeIsUp = Promise.withResolvers<void>();
  const releasedIds: number[] = [];
  const attempted: number[] = [];
  const clock = {
    ...fakeClock("2026-11-20T12:00:00+03:00"),
    sleep: (ms: number) => (ms < 1_000 ? Promise.resolve() : timeIsUp.promise),
  };
  let exchanged = 0;
  const sender = createSender(
    {
      exchange: async () => (exchanged++ === 0 ? taken.promise : []),
      releaseClaims: async (claims) => void releasedIds.push(...claims.map(({ id }) => id)),
    },
    async ({ id }, signal) => {
      attempted.push(id);
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve());
      if (!signal.aborted) await aborted;
      return {} as AttemptOutcome;
    },
    [],
    { ...fakePorts(), clock },
  );
  const pumped = sender.pump();
  const stopped = sender.stop();
  taken.resolve([1, 2, 3, 4, 5, 6].map(delivery));
  await pumped;
  timeIsUp.resolve();
  await stopped;
  await sender.idle();
  expect(attempted).toEqual([1, 2, 3, 4]);
  expect(releasedIds.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
});
