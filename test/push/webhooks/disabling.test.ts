import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import {
  DAY_MS,
  HOUR_MS,
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

const accounts = () => pushing.appliance.app.domains.accounts;
const staff = () => pushing.appliance.app.domains.webhooks;
const clock = () => pushing.appliance.ports.clock;
const network = () => pushing.appliance.ports.network;

const ACTIVE = { is_active: true, disabled_reason: "" };
const FAILED = { is_active: false, disabled_reason: "failures" };

/** Expects the webhook to be active a second before the instant, and disabled for failures at it. */
async function expectDisabledAt(instantMs: number): Promise<void> {
  await pushing.passUntil(instantMs - SECOND_MS);
  expect(await pushing.view()).toMatchObject(ACTIVE);
  await pushing.passUntil(instantMs);
  expect(await pushing.view()).toMatchObject(FAILED);
}

/** Time passes while no process is running; then one starts. */
async function beDownUntil(instantMs: number): Promise<void> {
  clock().advance(instantMs - clock().now());
  await pushing.runDue();
}

describe("a webhook that fails for a day", () => {
  test("is disabled exactly 24 hours after its first failed attempt, even if no attempt is due then", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 23 * HOUR_MS);
    const attempts = pushing.attempts().length;
    await expectDisabledAt(failedAt + DAY_MS);
    expect(pushing.attempts()).toHaveLength(attempts);
    expect(Date.parse((await pushing.view()).updated_at)).toBe(failedAt + DAY_MS);
  });

  test("is not disabled after a success at 23:59, and the 24 hours start again with its next failure", async () => {
    const firstAt = await startFailing(pushing);
    await pushing.passUntil(firstAt + DAY_MS - 2 * MINUTE_MS);
    recover(pushing);
    expect(await pushing.send([2])).toBe(firstAt + DAY_MS - MINUTE_MS);
    await pushing.passUntil(firstAt + DAY_MS + HOUR_MS);
    expect(await pushing.view()).toMatchObject(ACTIVE);
    const failedAt = await startFailing(pushing, [3]);
    await expectDisabledAt(failedAt + DAY_MS);
  });

  test("is not disabled after a resend that succeeds", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 23 * HOUR_MS);
    recover(pushing);
    const [{ delivery } = { delivery: 0 }] = await pushing.deliveries();
    const path = `/v1/msgr/webhooks/${pushing.id}/deliveries/${delivery}/resend/`;
    expect((await pushing.call("POST", path)).body.delivered).toBe(true);
    await pushing.passUntil(failedAt + DAY_MS + HOUR_MS);
    expect(await pushing.view()).toMatchObject(ACTIVE);
  });

  test("is disabled on time if several events fail, counted from the first failure", async () => {
    const failedAt = await startFailing(pushing, [1]);
    for (let hour = 1; hour < 24; hour++) {
      await pushing.passUntil(failedAt + hour * HOUR_MS);
      await pushing.read([hour + 1]);
    }
    await expectDisabledAt(failedAt + DAY_MS);
    expect(await pushing.deliveries()).toHaveLength(24);
  });

  test("is not disabled if one event of several is delivered", async () => {
    const failedAt = await startFailing(pushing, [1]);
    network().answer = ({ body }) => ({ status: body.includes('"posts":[{"id":2,') ? 204 : 500 });
    await pushing.passUntil(failedAt + 20 * HOUR_MS);
    await pushing.send([2]);
    await pushing.passUntil(failedAt + DAY_MS + HOUR_MS);
    expect(await pushing.view()).toMatchObject(ACTIVE);
  });

  test("is disabled alone: another one of the organization that succeeds stays active", async () => {
    const other = await pushing.add([1], "https://other.example/");
    network().answer = ({ host }) => ({ status: host === "other.example" ? 204 : 500 });
    const failedAt = await pushing.send([1]);
    await expectDisabledAt(failedAt + DAY_MS);
    expect(await pushing.view(other.id)).toMatchObject(ACTIVE);
  });

  test("has another 24 hours from its first failure after it is enabled again", async () => {
    const firstAt = await startFailing(pushing);
    await pushing.passUntil(firstAt + 10 * HOUR_MS);
    await pushing.change({ is_active: false });
    await pushing.passUntil(firstAt + 11 * HOUR_MS);
    await pushing.change({ is_active: true });
    await pushing.passUntil(firstAt + 12 * HOUR_MS);
    const failedAt = await startFailing(pushing, [2]);
    await expectDisabledAt(failedAt + DAY_MS);
  });

  test("stays active after it is enabled again, if nothing fails since then", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 10 * HOUR_MS);
    await pushing.change({ is_active: false });
    await pushing.change({ is_active: true });
    await pushing.passUntil(failedAt + 3 * DAY_MS);
    expect(await pushing.view()).toMatchObject(ACTIVE);
  });

  test("can be enabled by its owner, and is disabled again after another failing day", async () => {
    const firstAt = await startFailing(pushing);
    await pushing.passUntil(firstAt + DAY_MS);
    expect((await pushing.change({ is_active: true })).body).toMatchObject(ACTIVE);
    await pushing.passUntil(firstAt + DAY_MS + HOUR_MS);
    const failedAt = await startFailing(pushing, [2]);
    await expectDisabledAt(failedAt + DAY_MS);
  });

  test("gets no more time through changes that do not enable it", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 10 * HOUR_MS);
    await pushing.change({ is_active: true });
    await pushing.change({ url: "https://other.example/", channels: [2] });
    await pushing.call("POST", `/v1/msgr/webhooks/${pushing.id}/rotate-secret/`);
    await expectDisabledAt(failedAt + DAY_MS);
  });

  test("is disabled also if the guard has refused its address all day", async () => {
    network().names.set("receiver.example", ["10.0.0.1"]);
    await pushing.read([1]);
    await pushing.pass(MINUTE_MS);
    const failedAt = pushing.now();
    await expectDisabledAt(failedAt + DAY_MS);
    expect(pushing.attempts()).toEqual([]);
  });

  test("loses its queue: pending deliveries are dropped, and enabling does not restore them", async () => {
    const failedAt = await startFailing(pushing, [1]);
    await pushing.passUntil(failedAt + 20 * HOUR_MS);
    await pushing.send([2]);
    await pushing.passUntil(failedAt + DAY_MS);
    expect(await pushing.deliveries()).toMatchObject([
      { posts: [2], state: "dropped", next_attempt_at: null },
      { posts: [1], state: "failed", next_attempt_at: null },
    ]);
    recover(pushing);
    const attempts = pushing.attempts().length;
    await pushing.change({ is_active: true });
    await pushing.pass(DAY_MS);
    expect(pushing.attempts()).toHaveLength(attempts);
  });
});

describe("the queue of a webhook that the customer disables", () => {
  test("is dropped at once", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.change({ is_active: false });
    expect(await pushing.view()).toMatchObject({ is_active: false, disabled_reason: "customer" });
    expect(await pushing.deliveries()).toMatchObject([{ state: "dropped", next_attempt_at: null }]);
    await pushing.passUntil(failedAt + 3 * HOUR_MS);
    expect(pushing.attempts()).toHaveLength(1);
  });
});

describe("a ping", () => {
  const ping = () => pushing.call("POST", `/v1/msgr/webhooks/${pushing.id}/test/`);

  test("that succeeds is reported, and does not keep a failing webhook from being disabled", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 23 * HOUR_MS);
    recover(pushing);
    expect((await ping()).body.delivered).toBe(true);
    expect(Date.parse((await pushing.view()).last_success_at ?? "")).toBe(pushing.now());
    network().answer = () => ({ status: 500 });
    await expectDisabledAt(failedAt + DAY_MS);
  });

  test("that fails is reported, is not retried and does not start the 24 hours", async () => {
    network().answer = () => ({ status: 500 });
    const pingedAt = pushing.now();
    const { body } = await ping();
    expect(body).toMatchObject({ delivered: false, status: 500 });
    expect((await pushing.view()).last_error).toBe(body.error);
    await pushing.passUntil(pingedAt + 2 * HOUR_MS);
    expect(pushing.attempts()).toHaveLength(1);
    const failedAt = await startFailing(pushing);
    await expectDisabledAt(failedAt + DAY_MS);
  });
});

describe("a process that was down", () => {
  test("for more than an hour makes the due attempts first, and a success keeps the webhook active", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 20 * HOUR_MS);
    const attempts = pushing.attempts().length;
    recover(pushing);
    await beDownUntil(failedAt + 25 * HOUR_MS);
    await pushing.pass(2 * MINUTE_MS);
    expect(pushing.attempts()).toHaveLength(attempts + 1);
    expect(await pushing.view()).toMatchObject(ACTIVE);
    await pushing.pass(DAY_MS);
    expect(await pushing.view()).toMatchObject(ACTIVE);
  });

  test("for more than an hour makes the due attempts first, and disables the webhook if they fail", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 20 * HOUR_MS);
    const attempts = pushing.attempts().length;
    await beDownUntil(failedAt + 25 * HOUR_MS);
    await pushing.pass(2 * MINUTE_MS);
    expect(pushing.attempts()).toHaveLength(attempts + 1);
    expect(await pushing.view()).toMatchObject(FAILED);
  });

  test("for more than an hour attempts all of many overdue events before it disables the webhook", async () => {
    const failedAt = await startFailing(pushing, [1]);
    await pushing.passUntil(failedAt + 22 * HOUR_MS + 30 * MINUTE_MS);
    for (let id = 2; id <= 25; id++) await pushing.send([id]);
    const downFrom = pushing.attempts().length;
    // Only the last event is accepted.
    network().answer = ({ body }) => ({ status: body.includes('"posts":[{"id":25,') ? 204 : 500 });
    await beDownUntil(failedAt + 30 * HOUR_MS);
    for (let second = 0; second < 120; second++) await pushing.pass(SECOND_MS);
    const tried = new Set(postsSent(pushing).slice(downFrom).flat());
    expect(tried.size).toBe(24);
    expect(await pushing.view()).toMatchObject(ACTIVE);
  });

  test("for more than an hour first sends posts that were read meanwhile", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 22 * HOUR_MS + 30 * MINUTE_MS);
    recover(pushing);
    clock().advance(2 * HOUR_MS);
    await pushing.read([2]);
    await pushing.runDue();
    await pushing.pass(2 * MINUTE_MS);
    expect(postsSent(pushing).at(-1)).toEqual([2]);
    expect(await pushing.view()).toMatchObject(ACTIVE);
  });

  test("for more than an hour disables the webhook within a minute of its start if nothing is due", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 22 * HOUR_MS + 30 * MINUTE_MS);
    const attempts = pushing.attempts().length;
    await beDownUntil(failedAt + 30 * HOUR_MS);
    await pushing.pass(MINUTE_MS);
    expect(pushing.attempts()).toHaveLength(attempts);
    expect(await pushing.view()).toMatchObject(FAILED);
  });

  test("for more than an hour, but up again before the 24 hours end, disables the webhook on time", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 2 * HOUR_MS);
    await beDownUntil(failedAt + 5 * HOUR_MS);
    // The last attempt is due 22:21 hours after the first, or slightly later because of the down time.
    await expectDisabledAt(failedAt + DAY_MS);
  });

  test("for more than an hour early in the 24 hours disables the webhook on time while new events fail", async () => {
    await pushing.close();
    pushing = await startPushing({ KANALOG_WEBHOOK_BATCH_SECONDS: "30" });
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 2 * HOUR_MS);
    await beDownUntil(failedAt + 5 * HOUR_MS);
    await pushing.passUntil(failedAt + DAY_MS - 10 * MINUTE_MS);
    for (let id = 2; id < 30; id++) {
      await pushing.read([id]);
      await pushing.pass(30 * SECOND_MS);
    }
    expect(pushing.now()).toBe(failedAt + DAY_MS + 4 * MINUTE_MS);
    expect(await pushing.view()).toMatchObject(FAILED);
  });

  test("for 40 minutes disables the webhook at its start, without the attempt that became due", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 23 * HOUR_MS - MINUTE_MS);
    await pushing.send([2]);
    await pushing.passUntil(failedAt + 23 * HOUR_MS + 20 * MINUTE_MS);
    const attempts = pushing.attempts().length;
    recover(pushing);
    await beDownUntil(failedAt + DAY_MS + SECOND_MS);
    expect(await pushing.view()).toMatchObject(FAILED);
    await pushing.pass(2 * MINUTE_MS);
    expect(pushing.attempts()).toHaveLength(attempts);
  });

  test("for 40 minutes twice counts as down for more than an hour", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 2 * HOUR_MS);
    await beDownUntil(failedAt + 2 * HOUR_MS + 40 * MINUTE_MS);
    await pushing.passUntil(failedAt + 23 * HOUR_MS - MINUTE_MS);
    await pushing.send([2]);
    await pushing.passUntil(failedAt + 23 * HOUR_MS + 20 * MINUTE_MS);
    recover(pushing);
    await beDownUntil(failedAt + DAY_MS + SECOND_MS);
    await pushing.pass(2 * MINUTE_MS);
    expect(await pushing.view()).toMatchObject(ACTIVE);
    expect(postsSent(pushing).at(-1)).toEqual([2]);
  });

  test("before the first failure does not count", async () => {
    await pushing.pass(HOUR_MS);
    await beDownUntil(pushing.now() + 3 * HOUR_MS);
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 23 * HOUR_MS - MINUTE_MS);
    await pushing.send([2]);
    await pushing.passUntil(failedAt + 23 * HOUR_MS + 20 * MINUTE_MS);
    recover(pushing);
    await beDownUntil(failedAt + DAY_MS + SECOND_MS);
    expect(await pushing.view()).toMatchObject(FAILED);
  });
});

describe("a clock that jumps", () => {
  test("a day forward makes the due attempt, which a working receiver may answer, before disabling", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 2 * HOUR_MS);
    recover(pushing);
    await beDownUntil(pushing.now() + DAY_MS);
    await pushing.pass(2 * MINUTE_MS);
    expect(await pushing.view()).toMatchObject(ACTIVE);
    expect(await pushing.deliveries()).toMatchObject([{ state: "delivered" }]);
  });

  test("a day back while an attempt is in progress does not disable the webhook", async () => {
    clock().monotonic = () => 0;
    network().answer = () => {
      clock().advance(-DAY_MS);
      return { status: 500 };
    };
    await pushing.read([1]);
    clock().advance(MINUTE_MS);
    await pushing.runDue();
    network().answer = () => ({ status: 500 });
    await pushing.pass(HOUR_MS);
    expect(await pushing.view()).toMatchObject(ACTIVE);
  });

  test("a day back leaves the 24 hours as they are", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + HOUR_MS);
    clock().advance(-DAY_MS);
    await pushing.runDue();
    // By the new clock, it failed a day earlier than by the former one.
    await pushing.passUntil(failedAt - MINUTE_MS);
    expect(await pushing.view()).toMatchObject(ACTIVE);
    await pushing.passUntil(failedAt + MINUTE_MS);
    expect(await pushing.view()).toMatchObject(FAILED);
  });
});

describe("a plan that ends", () => {
  const renew = (endsAt: number | null = null) =>
    accounts().givePlan(pushing.customer.organizationId, "profi", endsAt, COMMAND_LINE);
  const log = () => staff().deliveries(pushing.id, { before: null, limit: 100 });
  const webhook = async () => {
    const own = await staff().webhooks(pushing.customer.organizationId);
    return own.find(({ id }) => id === pushing.id);
  };

  test("drops the queue, and nothing is attempted from then on", async () => {
    const failedAt = await startFailing(pushing);
    await renew(failedAt + 2 * HOUR_MS);
    await pushing.passUntil(failedAt + 2 * HOUR_MS - SECOND_MS);
    const attempts = pushing.attempts().length;
    expect(await log()).toMatchObject([{ state: "pending" }]);
    await pushing.passUntil(failedAt + 2 * HOUR_MS + MINUTE_MS);
    expect(await log()).toMatchObject([{ state: "dropped", next_attempt_at: null }]);
    await pushing.passUntil(failedAt + 30 * HOUR_MS);
    expect(pushing.attempts()).toHaveLength(attempts);
  });

  test("drops deliveries that were due at that instant", async () => {
    const failedAt = await startFailing(pushing);
    await renew(failedAt + MINUTE_MS);
    await pushing.passUntil(failedAt + MINUTE_MS);
    expect(pushing.attempts()).toHaveLength(1);
  });

  test("stops the 24 hours: the webhook is disabled neither meanwhile nor by the renewal", async () => {
    const failedAt = await startFailing(pushing);
    await renew(failedAt + 2 * HOUR_MS);
    await pushing.passUntil(failedAt + 30 * HOUR_MS);
    expect((await webhook())?.disabledReason).toBe("");
    await renew();
    // Two of the 24 hours had passed before the plan ended.
    await pushing.passUntil(failedAt + 51 * HOUR_MS);
    expect((await webhook())?.disabledReason).toBe("");
    expect(pushing.appliance.ports.mail.sent).toEqual([]);
  });

  test("stops the 24 hours even if no process was running between the end and the renewal", async () => {
    const failedAt = await startFailing(pushing);
    await renew(failedAt + 2 * HOUR_MS);
    await pushing.passUntil(failedAt + HOUR_MS);
    clock().advance(29 * HOUR_MS);
    await renew();
    await pushing.runDue();
    await pushing.pass(HOUR_MS);
    expect((await webhook())?.disabledReason).toBe("");
    expect(await log()).toMatchObject([{ state: "dropped" }]);
  });

  test("and is renewed brings events from then on, and failures of a day disable the webhook again", async () => {
    await renew(pushing.now() + HOUR_MS);
    await pushing.pass(2 * HOUR_MS);
    await renew();
    const failedAt = await startFailing(pushing, [2]);
    expect(postsSent(pushing)).toEqual([[2]]);
    await expectDisabledAt(failedAt + DAY_MS);
  });

  test("but was extended before leaves the queue and the 24 hours as they are", async () => {
    const failedAt = await startFailing(pushing);
    await renew(failedAt + 2 * HOUR_MS);
    await pushing.passUntil(failedAt + HOUR_MS);
    await renew(failedAt + 5 * DAY_MS);
    await pushing.passUntil(failedAt + 23 * HOUR_MS);
    expect(pushing.attempts()).toHaveLength(8);
    await expectDisabledAt(failedAt + DAY_MS);
  });

  test("by a downgrade to growth leaves several webhooks active, retries included", async () => {
    await pushing.add([1], "https://second.example/");
    await pushing.add([1], "https://third.example/");
    await startFailing(pushing, [1]);
    await accounts().givePlan(pushing.customer.organizationId, "growth", null, COMMAND_LINE);
    recover(pushing);
    await pushing.pass(MINUTE_MS);
    await pushing.send([2]);
    const hosts = (post: number) =>
      pushing
        .attempts()
        .slice(3)
        .filter(({ body }) => JSON.parse(body).posts[0].id === post)
        .map(({ host }) => host)
        .toSorted();
    const all = ["receiver.example", "second.example", "third.example"];
    expect(hosts(1)).toEqual(all);
    expect(hosts(2)).toEqual(all);
  });
});

describe("staff", () => {
  test("disable a webhook: its queue is dropped and no PATCH enables it", async () => {
    await startFailing(pushing);
    await staff().disable(pushing.id, "", COMMAND_LINE);
    expect(await pushing.view()).toMatchObject({ is_active: false, disabled_reason: "staff" });
    expect(await pushing.deliveries()).toMatchObject([{ state: "dropped" }]);
    for (const body of [
      { is_active: true },
      { is_active: false },
      { is_active: true, url: "https://other.example/" },
      { is_active: "yes", url: "http://plain.example/" },
      { is_active: true, channels: [] },
      { is_active: true, unknown: 1 },
    ]) {
      const { status } = await pushing.change(body);
      expect(status).toBe(body.is_active ? 409 : 200);
      expect(await pushing.view()).toMatchObject({ disabled_reason: "staff" });
    }
    await pushing.read([2]);
    await pushing.pass(HOUR_MS);
    expect(pushing.attempts()).toHaveLength(1);
  });

  test("disable one that the customer had disabled: the customer cannot enable it", async () => {
    await pushing.change({ is_active: false });
    await staff().disable(pushing.id, "", COMMAND_LINE);
    expect((await pushing.change({ is_active: true })).status).toBe(409);
  });

  test("enable one whose queue a crash left behind, which is dropped first", async () => {
    await startFailing(pushing);
    const { db } = pushing.appliance.app.domains;
    db.exec("UPDATE webhooks SET disabled_reason = 'staff'");
    await staff().enable(pushing.id, COMMAND_LINE);
    expect(await staff().deliveries(pushing.id, { before: null, limit: 100 })).toMatchObject([
      { state: "dropped" },
    ]);
  });

  test("enable it again, with another 24 hours from its next failure", async () => {
    const firstAt = await startFailing(pushing);
    await pushing.passUntil(firstAt + 10 * HOUR_MS);
    await staff().disable(pushing.id, "", COMMAND_LINE);
    await pushing.passUntil(firstAt + 12 * HOUR_MS);
    await staff().enable(pushing.id, COMMAND_LINE);
    expect(await pushing.view()).toMatchObject(ACTIVE);
    const failedAt = await startFailing(pushing, [2]);
    expect(postsSent(pushing).at(-1)).toEqual([2]);
    await expectDisabledAt(failedAt + DAY_MS);
  });

  test("enable one that failed for a day", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + DAY_MS);
    await staff().enable(pushing.id, COMMAND_LINE);
    expect(await pushing.view()).toMatchObject(ACTIVE);
    recover(pushing);
    await pushing.send([2]);
    expect(postsSent(pushing).at(-1)).toEqual([2]);
  });
});
