import { expect, test } from "bun:test";
import { createManualTurns } from "../../../src/push/webhooks/delivery/flights.ts";
import { createOwnClaims } from "../../../src/values/claims.ts";

/** An attempt that ends when the test says so. */
function attempt() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { attempt: () => promise, end: resolve };
}

test("a process makes at most 24 pings and resends at once, and further ones once one has ended", async () => {
  const turns = createManualTurns(createOwnClaims());
  const attempts = Array.from({ length: 24 }, attempt);
  const running = attempts.map((one, at) => turns.run(Math.floor(at / 6), one.attempt));
  const another = () => turns.run(4, async () => "made");
  await expect(another()).rejects.toMatchObject({ code: "unavailable" });
  attempts[0]?.end();
  await running[0];
  expect(await another()).toBe("made");
  for (const { end } of attempts) end();
  await Promise.all(running);
});

test("a process that stops waits for pings and resends in progress, and begins none", async () => {
  const turns = createManualTurns(createOwnClaims());
  const { attempt: first, end } = attempt();
  const running = turns.run(1, first);
  turns.close();
  await expect(turns.run(2, async () => {})).rejects.toMatchObject({ code: "unavailable" });
  let isSettled = false;
  const settled = turns.settled().then(() => {
    isSettled = true;
  });
  await new Promise((done) => setImmediate(done));
  expect(isSettled).toBe(false);
  end();
  await Promise.all([settled, running]);
});
