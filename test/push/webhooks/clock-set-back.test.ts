import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { fakePorts } from "../../support/fake-ports.ts";
import {
  DAY_MS,
  HOUR_MS,
  holdAnswers,
  MINUTE_MS,
  type Pushing,
  postsSent,
  recover,
  SECOND_MS,
  startFailing,
  startPushing,
} from "../../support/pushing.ts";

/** The clock was far ahead and is corrected, while the process is running or while it is down. */
const AHEAD_MS = 400 * DAY_MS;

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

const clock = () => pushing.appliance.ports.clock;
const setBack = async () => {
  clock().advance(-AHEAD_MS);
  await pushing.runDue();
};

describe("a clock that is set back by 400 days", () => {
  test("leaves the time until a retry unchanged", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 30 * SECOND_MS);
    recover(pushing);
    await setBack();
    await pushing.pass(29 * SECOND_MS);
    expect(pushing.attempts()).toHaveLength(1);
    await pushing.pass(SECOND_MS);
    expect(pushing.attempts()).toHaveLength(2);
  });

  test("leaves the time until the next batch unchanged", async () => {
    await pushing.send([1]);
    await setBack();
    await pushing.send([2]);
    expect(postsSent(pushing)).toEqual([[1], [2]]);
  });

  test("leaves the claims of a crashed process their lease, and no more", async () => {
    const { called } = holdAnswers(pushing.appliance.ports.network);
    await pushing.read([1]);
    clock().advance(MINUTE_MS);
    // Never settles, because the receiver does not answer.
    void pushing.runDue();
    await called;
    clock().advance(-AHEAD_MS);
    await pushing.appliance.app.push.tick();
    const leases = () =>
      pushing.appliance.app.domains.db
        .prepare("SELECT claimed_until FROM webhook_deliveries")
        .raw()
        .all()
        .flat();
    expect(leases()).toEqual([clock().now() + 30 * SECOND_MS]);
    pushing = await startPushing();
  });

  test("leaves a failing webhook the rest of its 24 hours", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 23 * HOUR_MS);
    await setBack();
    await pushing.pass(59 * MINUTE_MS);
    expect((await pushing.view()).is_active).toBe(true);
    await pushing.pass(MINUTE_MS);
    expect((await pushing.view()).disabled_reason).toBe("failures");
  });

  test("allows the next test of a webhook in a minute", async () => {
    const test = () => pushing.call("POST", `/v1/msgr/webhooks/${pushing.id}/test/`);
    expect((await test()).status).toBe(200);
    await setBack();
    expect((await test()).headers.get("retry-after")).toBe("60");
    await pushing.pass(MINUTE_MS);
    expect((await test()).status).toBe(200);
  });

  test("leaves the overlap of the previous secret its hours", async () => {
    const path = `/v1/msgr/webhooks/${pushing.id}/rotate-secret/`;
    expect((await pushing.call("POST", path, { overlap_hours: 2 })).status).toBe(200);
    await setBack();
    await pushing.send([1]);
    await pushing.pass(2 * HOUR_MS);
    await pushing.send([2]);
    const signatures = pushing
      .attempts()
      .map(({ headers }) => headers["x-service-signature"]?.split(",").length);
    // The time, and a signature by each secret in use.
    expect(signatures).toEqual([3, 2]);
  });

  test("leaves the time until a failed mail is retried unchanged", async () => {
    const { mail } = pushing.appliance.ports;
    const { mailer } = pushing.appliance.app;
    mail.isDown = true;
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + DAY_MS);
    expect((await pushing.view()).disabled_reason).toBe("failures");
    await mailer.runDue();
    mail.isDown = false;
    await setBack();
    await mailer.runDue();
    expect(mail.sent).toEqual([]);
    await pushing.pass(MINUTE_MS);
    await mailer.runDue();
    expect(mail.sent).toHaveLength(1);
  });
});

test("an attempt that ended before the clock was set back is retried a minute from now", async () => {
  await pushing.close();
  const ports = fakePorts();
  pushing = await startPushing({}, ports);
  const { now } = ports.clock;
  ports.clock.monotonic = () => 0;
  let hasEnded = false;
  ports.network.answer = () => {
    hasEnded = true;
    return { status: 500 };
  };
  ports.clock.now = () => {
    const nowMs = now();
    // After the attempt has taken the time of its end, and before that is recorded.
    if (hasEnded) ports.clock.advance(-AHEAD_MS);
    hasEnded = false;
    return nowMs;
  };
  await pushing.read([1]);
  ports.clock.advance(MINUTE_MS);
  await pushing.runDue();
  expect(pushing.attempts()).toHaveLength(1);
  recover(pushing);
  await pushing.pass(MINUTE_MS);
  expect(pushing.attempts()).toHaveLength(2);
  const [delivery] = await pushing.deliveries();
  expect(delivery?.state).toBe("delivered");
});
