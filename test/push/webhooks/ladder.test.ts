import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type FakePost, fakePorts } from "../../support/fake-ports.ts";
import {
  DAY_MS,
  HOUR_MS,
  holdAnswers,
  MINUTE_MS,
  numbers,
  type Pushing,
  recover,
  SECOND_MS,
  startFailing,
  startPushing,
} from "../../support/pushing.ts";

/** Waits of the retry ladder (specification, section 6). */
const WAITS_MS = [
  ...[1, 5, 15].map((minutes) => minutes * MINUTE_MS),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR_MS),
];

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

const network = () => pushing.appliance.ports.network;
const clock = () => pushing.appliance.ports.clock;

/** Expects no attempt a second before the instant, and one at it. */
async function expectAttemptAt(instantMs: number): Promise<FakePost> {
  const before = pushing.attempts().length;
  await pushing.passUntil(instantMs - SECOND_MS);
  expect(pushing.attempts()).toHaveLength(before);
  await pushing.passUntil(instantMs);
  expect(pushing.attempts()).toHaveLength(before + 1);
  return pushing.attempts().at(-1) as FakePost;
}

async function onlyDelivery() {
  const deliveries = await pushing.deliveries();
  expect(deliveries).toHaveLength(1);
  return deliveries[0] as (typeof deliveries)[number];
}

describe("the retry ladder", () => {
  test("has seven retries, each due to the second after the previous failure, and no more", async () => {
    let failedAt = await startFailing(pushing);
    for (const waitMs of WAITS_MS) {
      await expectAttemptAt(failedAt + waitMs);
      failedAt += waitMs;
    }
    expect(await onlyDelivery()).toMatchObject({ state: "failed", next_attempt_at: null });
    await pushing.pass(90 * MINUTE_MS);
    expect(pushing.attempts()).toHaveLength(8);
  });

  test("keeps the delivery number and the body byte for byte, and signs each attempt again", async () => {
    const startedAt = await startFailing(pushing);
    await pushing.read([1], { text: "Edited meanwhile" });
    await pushing.passUntil(startedAt + 23 * HOUR_MS);
    expect(pushing.attempts()).toHaveLength(8);
    const [first] = pushing.attempts();
    let attemptedAt = startedAt;
    for (const [place, { body, headers }] of pushing.attempts().entries()) {
      attemptedAt += WAITS_MS[place - 1] ?? 0;
      const t = attemptedAt / 1000;
      const v1 = createHmac("sha256", pushing.secret).update(`${t}.${body}`).digest("hex");
      expect(body).toBe(first?.body as string);
      expect(headers["x-service-delivery"]).toBe(first?.headers["x-service-delivery"] as string);
      expect(headers["x-service-event"]).toBe("post.created");
      expect(headers["x-service-signature"]).toBe(`t=${t},v1=${v1}`);
    }
  });

  test("counts a wait from the end of the failed attempt, not from its start", async () => {
    network().answer = () => {
      clock().advance(10 * SECOND_MS);
      return { fault: "timeout" };
    };
    const failedAt = await pushing.send([1]);
    await expectAttemptAt(failedAt + MINUTE_MS);
    await expectAttemptAt(pushing.now() + 5 * MINUTE_MS);
  });

  test("ends with a success", async () => {
    const failedAt = await startFailing(pushing);
    recover(pushing);
    await expectAttemptAt(failedAt + MINUTE_MS);
    await pushing.pass(DAY_MS);
    expect(pushing.attempts()).toHaveLength(2);
    expect(await onlyDelivery()).toMatchObject({ state: "delivered", next_attempt_at: null });
  });

  test("is separate for each event", async () => {
    const firstAt = await startFailing(pushing, [1]);
    const secondAt = await startFailing(pushing, [2]);
    expect(secondAt).toBe(firstAt + MINUTE_MS);
    await pushing.passUntil(secondAt + 6 * MINUTE_MS);
    const instants = (await pushing.deliveries()).map(({ attempts }) =>
      attempts.map(({ attempted_at }) => Date.parse(attempted_at)),
    );
    expect(instants).toEqual([
      [secondAt, secondAt + MINUTE_MS, secondAt + 6 * MINUTE_MS],
      [firstAt, firstAt + MINUTE_MS, firstAt + 6 * MINUTE_MS],
    ]);
  });

  test("is set by KANALOG_WEBHOOK_RETRIES", async () => {
    await pushing.close();
    pushing = await startPushing({ KANALOG_WEBHOOK_RETRIES: "2s,3m" });
    const failedAt = await startFailing(pushing);
    await expectAttemptAt(failedAt + 2 * SECOND_MS);
    await expectAttemptAt(failedAt + 2 * SECOND_MS + 3 * MINUTE_MS);
    expect((await onlyDelivery()).state).toBe("failed");
    await pushing.pass(HOUR_MS);
    expect(pushing.attempts()).toHaveLength(3);
  });

  test("continues within a minute of the start of a process that was down", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 30 * MINUTE_MS);
    const before = pushing.attempts().length;
    recover(pushing);
    clock().advance(3 * HOUR_MS);
    await pushing.runDue();
    await pushing.pass(MINUTE_MS);
    expect(pushing.attempts()).toHaveLength(before + 1);
    expect((await onlyDelivery()).state).toBe("delivered");
  });

  test("spreads attempts that became due while the process was down over less than a minute", async () => {
    await startFailing(pushing, [1]);
    for (let id = 2; id <= 30; id++) await pushing.send([id]);
    recover(pushing);
    const before = pushing.attempts().length;
    clock().advance(12 * HOUR_MS);
    await pushing.runDue();
    const atOnce = pushing.attempts().length - before;
    for (let second = 0; second < 60; second++) await pushing.pass(SECOND_MS);
    expect((await pushing.deliveries()).map(({ state }) => state)).toEqual(
      Array(30).fill("delivered"),
    );
    expect(atOnce).toBeLessThan(15);
  });
});

describe("what counts as a success", () => {
  for (const status of [200, 201, 202, 204, 226, 299]) {
    test(`a ${status} is a success`, async () => {
      network().answer = () => ({ status });
      await pushing.send([1]);
      expect(await onlyDelivery()).toMatchObject({
        state: "delivered",
        attempts: [{ status, error: "" }],
        next_attempt_at: null,
      });
      expect(await pushing.view()).toMatchObject({
        last_error: "",
        last_success_at: "2026-11-20T12:01:00+03:00",
      });
    });
  }

  for (const status of [300, 301, 302, 304, 307, 308, 400, 404, 410, 429, 500, 503, 599]) {
    test(`a ${status} is a failure that is retried, at the webhook's own address`, async () => {
      network().answer = () => ({ status });
      const failedAt = await pushing.send([1]);
      const { last_error, last_success_at } = await pushing.view();
      expect(last_error).not.toBe("");
      expect(last_success_at).toBeNull();
      expect(await onlyDelivery()).toMatchObject({
        state: "pending",
        attempts: [{ status, error: last_error }],
      });
      expect(await expectAttemptAt(failedAt + MINUTE_MS)).toMatchObject({
        host: "receiver.example",
      });
    });
  }

  for (const fault of ["timeout", "unreachable", "certificate", "broken"] as const) {
    test(`a receiver that is "${fault}" is a failure that is retried`, async () => {
      network().answer = () => ({ fault });
      const failedAt = await pushing.send([1]);
      const { last_error } = await pushing.view();
      expect(last_error).not.toBe("");
      expect(await onlyDelivery()).toMatchObject({
        state: "pending",
        attempts: [{ status: null, error: last_error }],
      });
      await expectAttemptAt(failedAt + MINUTE_MS);
    });
  }

  test("a name that cannot be resolved is a failure that is retried, and resolved again", async () => {
    network().names.set("receiver.example", []);
    await pushing.read([1]);
    await pushing.pass(MINUTE_MS);
    const failedAt = pushing.now();
    expect(pushing.attempts()).toEqual([]);
    expect((await pushing.view()).last_error).not.toBe("");
    expect(await onlyDelivery()).toMatchObject({ state: "pending", attempts: [{ status: null }] });
    network().names.set("receiver.example", ["93.184.215.15"]);
    expect(await expectAttemptAt(failedAt + MINUTE_MS)).toMatchObject({
      address: "93.184.215.15",
      host: "receiver.example",
    });
    expect((await onlyDelivery()).state).toBe("delivered");
  });

  for (const addresses of [["10.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["::ffff:10.0.0.1"]]) {
    test(`nothing is sent to a name that points to ${addresses}, which is reported as unreachable`, async () => {
      network().answer = () => ({ fault: "unreachable" });
      await pushing.send([1]);
      const { last_error: unreachable } = await pushing.view();
      const [delivery] = await pushing.deliveries();
      const before = pushing.attempts().length;

      network().names.set("receiver.example", addresses);
      network().answer = () => ({ status: 204 });
      await pushing.pass(MINUTE_MS);
      expect(pushing.attempts()).toHaveLength(before);
      expect((await pushing.view()).last_error).toBe(unreachable);
      const [first, second] = (await onlyDelivery()).attempts;
      expect({ ...second, attempted_at: "" } as object).toEqual({ ...first, attempted_at: "" });
      expect(delivery?.state).toBe("pending");

      network().names.set("receiver.example", ["93.184.215.14"]);
      await pushing.pass(5 * MINUTE_MS);
      expect((await onlyDelivery()).state).toBe("delivered");
    });
  }

  test("the attempt connects to the address that was checked, with 10 seconds in total", async () => {
    await pushing.close();
    const ports = fakePorts();
    let resolvingMs = 0;
    ports.network.resolve = async () => {
      ports.clock.advance(resolvingMs);
      return ["93.184.215.77"];
    };
    pushing = await startPushing({}, ports);
    resolvingMs = 4 * SECOND_MS;
    await pushing.send([1]);
    expect(pushing.attempts()[0]).toMatchObject({ address: "93.184.215.77", timeoutMs: 6000 });
  });

  test("an error remains visible after a later success", async () => {
    const failedAt = await startFailing(pushing);
    const { last_error } = await pushing.view();
    recover(pushing);
    await pushing.passUntil(failedAt + MINUTE_MS);
    expect((await pushing.view()).last_success_at).toBe("2026-11-20T12:02:00+03:00");
    expect((await onlyDelivery()).attempts).toMatchObject([{ error: last_error }, { error: "" }]);
  });
});

describe("a change while an attempt is in progress", () => {
  /** Changes the webhook while its receiver is working on an answer, which then comes. */
  async function changeMeanwhile(change: () => Promise<unknown>, status: number): Promise<void> {
    const { called, answer } = holdAnswers(network());
    await pushing.read([1]);
    clock().advance(MINUTE_MS);
    const done = pushing.runDue();
    await called;
    await change();
    answer({ status });
    await done;
    recover(pushing);
  }

  test("that deletes the webhook lets it end without an error", async () => {
    const path = `/v1/msgr/webhooks/${pushing.id}/`;
    await changeMeanwhile(() => pushing.call("DELETE", path), 500);
    await pushing.pass(HOUR_MS);
    expect(pushing.attempts()).toHaveLength(1);
    const { errors, warnings } = pushing.appliance.ports.log;
    expect([...errors, ...warnings]).toEqual([]);
  });

  test("that disables the webhook leaves it without a retry, enabled again or not", async () => {
    await changeMeanwhile(() => pushing.change({ is_active: false }), 500);
    expect(await onlyDelivery()).toMatchObject({
      state: "dropped",
      attempts: [{ status: 500 }],
      next_attempt_at: null,
    });
    await pushing.change({ is_active: true });
    await pushing.pass(HOUR_MS);
    expect(pushing.attempts()).toHaveLength(1);
  });

  test("that archives the organization leaves it without a retry", async () => {
    const { accounts } = pushing.appliance.app.domains;
    await changeMeanwhile(
      () => accounts.archiveOrganization(pushing.customer.organizationId, COMMAND_LINE),
      500,
    );
    await pushing.pass(HOUR_MS);
    expect(pushing.attempts()).toHaveLength(1);
  });

  test("that archives the organization keeps deliveries that wait for its end from being attempted", async () => {
    const { accounts } = pushing.appliance.app.domains;
    const { called, answer } = holdAnswers(network());
    await pushing.read(numbers(1, 2_500));
    clock().advance(MINUTE_MS);
    const done = pushing.runDue();
    await called;
    await accounts.archiveOrganization(pushing.customer.organizationId, COMMAND_LINE);
    answer({ status: 204 });
    await done;
    // As many as may be in progress at once.
    expect(pushing.attempts()).toHaveLength(4);
  });
});

describe("a change while a retry waits", () => {
  test("of the address takes effect with the next attempt, of the same delivery", async () => {
    const failedAt = await startFailing(pushing);
    expect((await pushing.change({ url: "https://other.example:8443/new" })).status).toBe(200);
    const retry = await expectAttemptAt(failedAt + MINUTE_MS);
    const [first] = pushing.attempts();
    expect(retry).toMatchObject({ host: "other.example", port: 8443, path: "/new" });
    expect(retry.body).toBe(first?.body as string);
    expect(retry.headers["x-service-delivery"]).toBe(
      first?.headers["x-service-delivery"] as string,
    );
  });

  test("of the secret takes effect with the next attempt", async () => {
    const failedAt = await startFailing(pushing);
    const { body } = await pushing.call("POST", `/v1/msgr/webhooks/${pushing.id}/rotate-secret/`);
    expect(body.secret).not.toBe(pushing.secret);
    const retry = await expectAttemptAt(failedAt + MINUTE_MS);
    const t = (failedAt + MINUTE_MS) / 1000;
    const v1 = createHmac("sha256", body.secret).update(`${t}.${retry.body}`).digest("hex");
    expect(retry.headers["x-service-signature"]).toBe(`t=${t},v1=${v1}`);
  });

  test("of the channels leaves queued deliveries as they are", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.change({ channels: [2] });
    await expectAttemptAt(failedAt + MINUTE_MS);
  });

  test("of the clock by a day forward neither loses nor delays the retry", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 30 * MINUTE_MS);
    const before = pushing.attempts().length;
    recover(pushing);
    clock().advance(DAY_MS);
    await pushing.runDue();
    await pushing.pass(MINUTE_MS);
    expect(pushing.attempts()).toHaveLength(before + 1);
    expect((await onlyDelivery()).state).toBe("delivered");
  });

  test("of the clock by a day back neither loses nor delays the retry", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + 30 * MINUTE_MS);
    const before = pushing.attempts().length;
    recover(pushing);
    clock().advance(-DAY_MS);
    // The fifth attempt is due 81 minutes after the first: in 51 minutes.
    await pushing.pass(50 * MINUTE_MS);
    expect(pushing.attempts()).toHaveLength(before);
    await pushing.pass(2 * MINUTE_MS);
    expect(pushing.attempts()).toHaveLength(before + 1);
    expect((await onlyDelivery()).state).toBe("delivered");
  });
});
