import { expect, test } from "bun:test";
import type { Claimed } from "../../../src/push/webhooks/delivery/claim-due.ts";
import { createSender } from "../../../src/push/webhooks/delivery/sender.ts";
import { fakeClock, fakeLog, fakeRandom } from "../../support/fake-ports.ts";

const CLAIMS = 6;
const OUTCOME = { startedAt: 0, endedAt: 0, status: null, error: "aborted", durationMs: 0 };

function claimed(id: number): Claimed {
  const content = { url: "", secret: new Uint8Array(), formerSecret: null, body: "" };
  return { id, webhookId: 1, event: "ping", claim: `claim ${id}`, lane: "quick", ...content };
}

test("deliveries claimed while stopping are all released, also those waiting for their turn", async () => {
  const taken = Promise.withResolvers<Claimed[]>();
  const timeIsUp = Promise.withResolvers<void>();
  const released: number[] = [];
  const attempted: number[] = [];
  const clock = {
    ...fakeClock("2026-11-20T12:00:00+03:00"),
    sleep: (ms: number) => (ms < 1_000 ? Promise.resolve() : timeIsUp.promise),
  };
  let exchanges = 0;
  const sender = createSender(
    {
      exchange: async () => (exchanges++ === 0 ? taken.promise : []),
      releaseClaims: async (claims) => void released.push(...claims.map(({ id }) => id)),
    },
    async ({ id }, signal) => {
      attempted.push(id);
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve());
      if (!signal.aborted) await aborted;
      return OUTCOME;
    },
    [],
    { clock, random: fakeRandom(), log: fakeLog() },
  );
  const pumped = sender.pump();
  const stopped = sender.stop();
  taken.resolve(Array.from({ length: CLAIMS }, (_, at) => claimed(at + 1)));
  await pumped;
  timeIsUp.resolve();
  await stopped;
  await sender.idle();
  expect(attempted).toEqual([1, 2, 3, 4]);
  expect(released.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
});
