import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { selectDeliveries } from "../../../src/push/webhooks/manage/deliveries-log.store.ts";
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

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

const network = () => pushing.appliance.ports.network;
const clock = () => pushing.appliance.ports.clock;

async function last() {
  const [delivery] = await pushing.deliveries();
  if (delivery === undefined) throw new Error("there is no delivery");
  return delivery;
}

function resend(delivery: number, id = pushing.id) {
  return pushing.call("POST", `/v1/msgr/webhooks/${id}/deliveries/${delivery}/resend/`);
}

/** @returns the reason given */
async function expectConflict(delivery: number): Promise<string> {
  const before = pushing.attempts().length;
  const { status, body } = await resend(delivery);
  expect(body).toEqual({ code: "conflict", detail: expect.any(String) });
  expect(status).toBe(409);
  expect(pushing.attempts()).toHaveLength(before);
  return body.detail;
}

describe("the log", () => {
  test("shows each delivery with its event, posts, state, attempts and next attempt", async () => {
    network().answer = () => {
      clock().advance(1500);
      return { status: 503 };
    };
    await pushing.send([3, 4]);
    const { last_error } = await pushing.view();
    expect(await pushing.deliveries()).toEqual([
      {
        delivery: expect.any(Number),
        event: "post.created",
        created_at: "2026-11-20T12:01:00+03:00",
        posts: [3, 4],
        state: "pending",
        attempts: [
          {
            attempted_at: "2026-11-20T12:01:00+03:00",
            status: 503,
            error: last_error,
            duration_ms: 1500,
          },
        ],
        next_attempt_at: "2026-11-20T12:02:01+03:00",
      },
    ]);
    expect(String((await last()).delivery)).toBe(
      pushing.attempts()[0]?.headers["x-service-delivery"] as string,
    );
  });

  test("is a snapshot: an attempt recorded while a page is being read is not in it", async () => {
    await pushing.send([3]);
    const { db } = pushing.appliance.app.domains;
    const page = { webhookId: pushing.id, before: null, limit: 10, nowMs: clock().now() };
    const reading = selectDeliveries(db, page);
    db.exec(`INSERT INTO webhook_attempts (delivery_id, attempted_at, error, duration_ms)
      SELECT delivery_id, attempted_at, 'noted meanwhile', 1 FROM webhook_attempts`);
    const attempts = ({ results: [delivery] }: Awaited<typeof reading>) =>
      delivery?.attempts.length;
    expect(attempts(await reading)).toBe(1);
    expect(attempts(await selectDeliveries(db, page))).toBe(2);
  });

  test("lists attempts in order, up to the last retry", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 23 * HOUR_MS);
    const { delivery, state, attempts, next_attempt_at } = await last();
    expect({ state, next_attempt_at }).toEqual({ state: "failed", next_attempt_at: null });
    const sent = pushing.attempts().map(({ headers }) => headers["x-service-delivery"]);
    expect(sent).toEqual(Array(8).fill(String(delivery)));
    const minutes = [0, 1, 6, 21, 81, 261, 621, 1341];
    expect(attempts.map(({ attempted_at }) => Date.parse(attempted_at))).toEqual(
      minutes.map((minute) => failedAt + minute * MINUTE_MS),
    );
  });

  test("shows a delivery as pending while its first attempt is in progress", async () => {
    const { called, answer } = holdAnswers(network());
    await pushing.read([1]);
    clock().advance(MINUTE_MS);
    const done = pushing.runDue();
    await called;
    expect(await last()).toMatchObject({ state: "pending", attempts: [] });
    answer({ status: 200 });
    await done;
    expect(await last()).toMatchObject({
      state: "delivered",
      attempts: [{ status: 200, error: "" }],
    });
  });

  test("shows pings with their outcome and no next attempt", async () => {
    const path = `/v1/msgr/webhooks/${pushing.id}/test/`;
    const { body } = await pushing.call("POST", path);
    network().answer = () => ({ fault: "broken" });
    await pushing.pass(MINUTE_MS);
    const failed = await pushing.call("POST", path);
    expect(await pushing.deliveries()).toMatchObject([
      {
        delivery: failed.body.delivery,
        event: "ping",
        posts: [],
        state: "failed",
        attempts: [{ status: null, error: failed.body.error }],
        next_attempt_at: null,
      },
      { delivery: body.delivery, event: "ping", state: "delivered", next_attempt_at: null },
    ]);
  });

  test("contains only the webhook's own deliveries, and an unknown webhook is a 404", async () => {
    const other = await pushing.add([2]);
    await pushing.send([1]);
    expect(await pushing.deliveries(other.id)).toEqual([]);
    const { delivery } = await last();
    expect((await resend(delivery, other.id)).status).toBe(404);
    expect((await resend(delivery + 1)).status).toBe(404);
    expect((await resend(delivery, 999_999)).status).toBe(404);
    expect(pushing.attempts()).toHaveLength(1);
    const stranger = await pushing.appliance.customer({ access: "read_write" });
    for (const [method, path] of [
      ["GET", `/v1/msgr/webhooks/${pushing.id}/deliveries/`],
      ["POST", `/v1/msgr/webhooks/${pushing.id}/deliveries/${delivery}/resend/`],
    ] as const) {
      const { status } = await pushing.appliance.request(path, { key: stranger.key, method });
      expect(status).toBe(404);
    }
  });

  test("is kept for 30 days", async () => {
    const sentAt = await pushing.send([1]);
    await pushing.pass(MINUTE_MS);
    const { scheduler } = pushing.appliance.app;
    // Jobs that were due before the scheduler's first run are not made up for.
    await scheduler.runDue();
    clock().advance(30 * DAY_MS - HOUR_MS - (pushing.now() - sentAt));
    await scheduler.runDue();
    expect(await pushing.deliveries()).toHaveLength(1);
    clock().advance(DAY_MS);
    await scheduler.runDue();
    expect(await pushing.deliveries()).toEqual([]);
  });

  test("keeps deliveries that still wait for an attempt", async () => {
    const failedAt = await startFailing(pushing);
    recover(pushing);
    clock().advance(2 * HOUR_MS);
    await pushing.appliance.app.scheduler.runDue();
    clock().advance(3 * DAY_MS);
    await pushing.appliance.app.scheduler.runDue();
    await pushing.runDue();
    await pushing.pass(MINUTE_MS);
    expect(pushing.now()).toBeGreaterThan(failedAt + 3 * DAY_MS);
    expect(postsSent(pushing)).toEqual([[1], [1]]);
    expect((await last()).state).toBe("delivered");
  });
});

describe("a resend", () => {
  test("of a delivered one makes one more attempt now, with the same number and body", async () => {
    await pushing.send([1]);
    const { delivery } = await last();
    await pushing.pass(HOUR_MS);
    const { status, body } = await resend(delivery);
    expect(status).toBe(200);
    expect(body).toEqual({ delivered: true, status: 204, error: "", duration_ms: 0, delivery });
    const [first, second] = pushing.attempts();
    expect(pushing.attempts()).toHaveLength(2);
    expect(second?.body).toBe(first?.body as string);
    expect(second?.headers["x-service-delivery"]).toBe(String(delivery));
    expect(second?.headers["x-service-event"]).toBe("post.created");
    expect(second?.headers["x-service-signature"]).toStartWith(`t=${pushing.now() / 1000},`);
    expect(await last()).toMatchObject({
      state: "delivered",
      attempts: [{ status: 204 }, { status: 204 }],
      next_attempt_at: null,
    });
  });

  test("of a failed one that succeeds makes it delivered", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 23 * HOUR_MS);
    const { delivery, state } = await last();
    expect(state).toBe("failed");
    recover(pushing);
    expect((await resend(delivery)).body.delivered).toBe(true);
    expect(await last()).toMatchObject({ state: "delivered", next_attempt_at: null });
  });

  test("of a failed one that fails leaves it failed, without new retries", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 22 * HOUR_MS + 30 * MINUTE_MS);
    const { delivery } = await last();
    expect((await resend(delivery)).body).toMatchObject({ delivered: false, status: 500 });
    expect(await last()).toMatchObject({ state: "failed", next_attempt_at: null });
    await pushing.pass(HOUR_MS);
    expect(pushing.attempts()).toHaveLength(9);
  });

  test("of a pending one that succeeds ends its retries", async () => {
    await startFailing(pushing);
    recover(pushing);
    await resend((await last()).delivery);
    expect(await last()).toMatchObject({ state: "delivered", next_attempt_at: null });
    await pushing.pass(DAY_MS);
    expect(pushing.attempts()).toHaveLength(2);
  });

  test("of a pending one that fails leaves its retries as they were", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 2 * MINUTE_MS);
    const before = await last();
    await resend(before.delivery);
    expect(await last()).toMatchObject({
      state: "pending",
      next_attempt_at: before.next_attempt_at,
    });
    await pushing.passUntil(failedAt + 21 * MINUTE_MS);
    const minutes = [0, 1, 2, 6, 21];
    expect((await last()).attempts.map(({ attempted_at }) => Date.parse(attempted_at))).toEqual(
      minutes.map((minute) => failedAt + minute * MINUTE_MS),
    );
  });

  test("goes to the webhook's current address", async () => {
    await pushing.send([1]);
    await pushing.change({ url: "https://other.example/" });
    await resend((await last()).delivery);
    expect(pushing.attempts()[1]).toMatchObject({ host: "other.example" });
  });

  test("is refused while a scheduled attempt of the delivery is in progress, and accepted after it", async () => {
    const { called, answer } = holdAnswers(network());
    await pushing.read([1]);
    clock().advance(MINUTE_MS);
    const done = pushing.runDue();
    await called;
    const { delivery } = await last();
    await expectConflict(delivery);
    answer({ status: 500 });
    await done;
    recover(pushing);
    expect((await resend(delivery)).body.delivered).toBe(true);
  });

  test("is refused while another resend of the delivery is in progress", async () => {
    await pushing.send([1]);
    const { delivery } = await last();
    const { called, answer } = holdAnswers(network());
    const first = resend(delivery);
    await called;
    await expectConflict(delivery);
    answer({ status: 200 });
    expect((await first).body.delivered).toBe(true);
  });

  test("in progress keeps a retry that falls due from being attempted as well", async () => {
    await startFailing(pushing);
    const { delivery } = await last();
    const { called, answer } = holdAnswers(network());
    clock().advance(59 * SECOND_MS);
    const resent = resend(delivery);
    await called;
    clock().advance(SECOND_MS);
    await pushing.runDue();
    expect(pushing.attempts()).toHaveLength(2);
    answer({ status: 200 });
    await resent;
    await pushing.pass(HOUR_MS);
    expect(pushing.attempts()).toHaveLength(2);
    expect((await last()).state).toBe("delivered");
  });

  test("is refused once the event is older than two days, and not before", async () => {
    const sentAt = await pushing.send([1]);
    const { delivery } = await last();
    await pushing.passUntil(sentAt + 2 * DAY_MS);
    expect((await resend(delivery)).status).toBe(200);
    clock().advance(1);
    await expectConflict(delivery);
  });

  test("is possible for two days, although old deliveries are removed every night", async () => {
    const sentAt = await pushing.send([1]);
    const { scheduler } = pushing.appliance.app;
    for (let hour = 1; hour < 48; hour++) {
      clock().advance(HOUR_MS);
      await scheduler.runDue();
    }
    expect(pushing.now()).toBe(sentAt + 47 * HOUR_MS);
    expect((await resend((await last()).delivery)).status).toBe(200);
  });

  test("is refused if the body was removed while the clock was ahead", async () => {
    await pushing.send([1]);
    const { delivery } = await last();
    const { scheduler } = pushing.appliance.app;
    for (let day = 1; day <= 4; day++) {
      await scheduler.runDue();
      clock().advance(DAY_MS);
    }
    clock().advance(-4 * DAY_MS);
    expect(await expectConflict(delivery)).toBe("The event's content is no longer stored.");
    expect(await last()).toMatchObject({ state: "delivered", attempts: [{ status: 204 }] });
  });

  test("is refused while the webhook is disabled, and possible once it is enabled", async () => {
    await pushing.send([1]);
    const { delivery } = await last();
    await pushing.change({ is_active: false });
    await expectConflict(delivery);
    await pushing.change({ is_active: true });
    expect((await resend(delivery)).status).toBe(200);
    await pushing.appliance.app.domains.webhooks.disable(pushing.id, "", COMMAND_LINE);
    await expectConflict(delivery);
  });

  test("of a ping is refused", async () => {
    const { body } = await pushing.call("POST", `/v1/msgr/webhooks/${pushing.id}/test/`);
    await expectConflict(body.delivery);
  });

  test("of a delivered one that fails is reported, and leaves it delivered", async () => {
    await pushing.send([1]);
    const { delivery } = await last();
    network().answer = () => ({ status: 500 });
    expect((await resend(delivery)).body).toMatchObject({ delivered: false, status: 500 });
    expect(await last()).toMatchObject({ state: "delivered", next_attempt_at: null });
    await pushing.pass(HOUR_MS);
    expect(pushing.attempts()).toHaveLength(2);
  });

  test("to an address that the guard refuses sends nothing, and is reported as unreachable", async () => {
    await pushing.send([1]);
    const { delivery } = await last();
    network().answer = () => ({ fault: "unreachable" });
    const unreachable = (await resend(delivery)).body;
    network().names.set("receiver.example", ["192.168.0.1"]);
    network().answer = () => ({ status: 204 });
    expect((await resend(delivery)).body).toEqual(unreachable);
    expect(pushing.attempts()).toHaveLength(2);
  });
});
