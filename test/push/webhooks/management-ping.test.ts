import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import type { PostResult } from "../../../src/ports/network.ts";
import type { Appliance, Customer } from "../../support/appliance.ts";
import type { FakeNetwork } from "../../support/fake-ports.ts";
import {
  type Call,
  callsWith,
  created,
  deliveriesBy,
  endManaging,
  expectRefused,
  HOUR_MS,
  holdAnswers,
  keyOf,
  MINUTE_MS,
  pass,
  SECOND_MS,
  shownBy,
  startManaging,
} from "../../support/webhook-calls.ts";

/** Tests of webhooks by a ping. */

let appliance: Appliance;
let network: FakeNetwork;
let customer: Customer;
let call: Call;

beforeEach(async () => {
  ({ appliance, customer, call } = await startManaging());
  network = appliance.ports.network;
});
afterEach(() => endManaging(appliance));

const answering = (result: PostResult) => {
  network.answer = () => result;
};

const shown = (id: number) => shownBy(call, id);

const deliveries = (id: number) => deliveriesBy(call, id);

describe("the test", () => {
  test("sends one ping with no posts, at once, and returns the outcome", async () => {
    const { id } = await created(call);
    const answer = await call("POST", `${id}/test/`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...{ delivered: true, status: 204, error: "", duration_ms: expect.any(Number) },
      delivery: expect.any(Number),
    });
    expect(network.posts.length).toBe(1);
    const [post] = network.posts;
    expect(JSON.parse(post?.body ?? "")).toEqual({
      event: "ping",
      webhook: id,
      created_at: "2026-11-20T12:00:00+03:00",
      posts: [],
    });
    expect(post?.headers["x-service-event"]).toBe("ping");
    expect(post?.headers["x-service-delivery"]).toBe(String(answer.body.delivery));
  });

  test("that fails returns the status or the error, and is not retried", async () => {
    for (const [result, status] of [
      [{ status: 500 }, 500],
      [{ status: 302 }, 302],
      [{ fault: "unreachable" }, null],
      [{ fault: "timeout" }, null],
      [{ fault: "certificate" }, null],
      [{ fault: "broken" }, null],
    ] as const) {
      const { id } = await created(call);
      answering(result);
      network.posts.length = 0;
      const answer = await call("POST", `${id}/test/`);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ delivered: false, status });
      expect(answer.body.error).not.toBe("");
      await pass(appliance, 2 * HOUR_MS, MINUTE_MS);
      expect(network.posts.length).toBe(1);
      await call("DELETE", `${id}/`);
    }
  });

  test("records its outcome as last_success_at or last_error", async () => {
    const { id } = await created(call);
    await call("POST", `${id}/test/`);
    let webhook = await shown(id);
    expect(webhook.last_success_at).toBe("2026-11-20T12:00:00+03:00");
    expect(webhook.last_error).toBe("");

    appliance.ports.clock.advance(MINUTE_MS);
    answering({ status: 503 });
    const { body } = await call("POST", `${id}/test/`);
    webhook = await shown(id);
    expect(webhook.last_success_at).toBe("2026-11-20T12:00:00+03:00");
    expect(webhook.last_error).toBe(body.error);
    expect(webhook.last_error).toContain("503");

    appliance.ports.clock.advance(MINUTE_MS);
    answering({ status: 200 });
    await call("POST", `${id}/test/`);
    webhook = await shown(id);
    expect(webhook.last_success_at).toBe("2026-11-20T12:02:00+03:00");
  });

  test("is sent while the webhook is disabled too, for whatever reason, and leaves it disabled", async () => {
    const { id } = await created(call);
    await call("PATCH", `${id}/`, { is_active: false });
    expect((await call("POST", `${id}/test/`)).body.delivered).toBe(true);
    await appliance.app.domains.webhooks.disable(id, "", COMMAND_LINE);
    appliance.ports.clock.advance(MINUTE_MS);
    expect((await call("POST", `${id}/test/`)).body.delivered).toBe(true);
    const { is_active, disabled_reason, last_success_at } = await shown(id);
    expect([is_active, disabled_reason]).toEqual([false, "staff"]);
    expect(last_success_at).toBe("2026-11-20T12:01:00+03:00");
    expect(network.posts.length).toBe(2);
  });

  test("is possible at most once a minute for each webhook, with whichever key", async () => {
    const { id } = await created(call);
    const other = await created(call);
    const key = await keyOf(appliance, customer.organizationId, "member", "read_only");
    expect((await call("POST", `${id}/test/`)).status).toBe(200);
    for (const [waitMs, retryAfter] of [
      [0, "60"],
      [1, "60"],
      [30 * SECOND_MS - 1, "30"],
      [29_999, "1"],
    ] as const) {
      appliance.ports.clock.advance(waitMs);
      const answer = await callsWith(appliance, key)("POST", `${id}/test/`);
      expectRefused(answer, 429, "throttled");
      expect(answer.headers.get("retry-after")).toBe(retryAfter);
    }
    expect(network.posts.length).toBe(1);
    expect((await call("POST", `${other.id}/test/`)).status).toBe(200);
    appliance.ports.clock.advance(1);
    expect((await call("POST", `${id}/test/`)).status).toBe(200);
    expect(network.posts.length).toBe(3);
  });

  test("that fails counts for the minute too, and no change of the webhook allows another", async () => {
    const { id } = await created(call);
    answering({ fault: "unreachable" });
    expect((await call("POST", `${id}/test/`)).body.delivered).toBe(false);
    await call("PATCH", `${id}/`, { url: "https://other.example.com/", is_active: false });
    await call("PATCH", `${id}/`, { is_active: true });
    await call("POST", `${id}/rotate-secret/`);
    expectRefused(await call("POST", `${id}/test/`), 429, "throttled");
  });

  test("requested twice at the same time is done once", async () => {
    const { id } = await created(call);
    const answers = await Promise.all(Array.from({ length: 5 }, () => call("POST", `${id}/test/`)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 429, 429, 429, 429]);
    expect(network.posts.length).toBe(1);
  });

  test("is refused while six of the organization are in progress, while another organization's is not", async () => {
    await appliance.app.domains.accounts.changePlan("profi", { webhooks: 10 }, COMMAND_LINE);
    const ids: number[] = [];
    for (let at = 0; at < 7; at++) {
      ids.push((await created(call, { url: `https://hooks-${at}.example.com/` })).id);
    }
    const other = callsWith(appliance, (await appliance.customer({ access: "read_write" })).key);
    const others = await created(other);
    const held = holdAnswers(network);
    const { answer } = network;
    network.answer = (post) =>
      post.host === "hooks-6.example.com" ? { status: 204 } : answer(post);
    const underWay = [
      ...ids.slice(0, 6).map((id) => [call, id] as const),
      [other, others.id] as const,
    ];
    const tested = underWay.map(([by, id]) => by("POST", `${id}/test/`));
    const last = ids.at(-1);
    const refused = await call("POST", `${last}/test/`);
    expectRefused(refused, 429, "throttled");
    expect(refused.body.detail).toBe("At most 6 deliveries are tried at once.");
    expect(refused.headers.get("retry-after")).toBe("1");
    held.answer({ status: 204 });
    for (const answer of await Promise.all(tested)) expect(answer.status).toBe(200);
    expect((await call("POST", `${last}/test/`)).status).toBe(200);
  });

  test("returns its outcome even if the webhook is deleted before it ends", async () => {
    const { id } = await created(call);
    const { called, answer } = holdAnswers(network);
    const running = call("POST", `${id}/test/`);
    await called;
    expect((await call("DELETE", `${id}/`)).status).toBe(204);
    answer({ status: 204 });
    const { status, body } = await running;
    expect([status, body.delivered]).toEqual([200, true]);
    expect((await call("GET", "")).body.results).toEqual([]);
  });

  test("does not reveal whether an address is refused or unreachable, and connects to neither", async () => {
    const unreachable = await created(call, { url: "https://down.example.com/" });
    const refused = await created(call, { url: "https://moved.example.com/" });
    answering({ fault: "unreachable" });
    const { delivery: _, ...expected } = (await call("POST", `${unreachable.id}/test/`)).body;
    network.posts.length = 0;
    for (const addresses of [["10.0.0.1"], ["::1"], ["93.184.215.14", "192.168.0.1"]]) {
      appliance.ports.clock.advance(MINUTE_MS);
      network.names.set("moved.example.com", addresses);
      const { status, body } = await call("POST", `${refused.id}/test/`);
      expect(status).toBe(200);
      const { delivery, ...outcome } = body;
      expect(outcome).toEqual(expected);
      expect(delivery).toBeInteger();
    }
    expect(expected).toMatchObject({ delivered: false, status: null });
    expect(network.posts).toEqual([]);
    expect((await shown(refused.id)).last_error).toBe((await shown(unreachable.id)).last_error);
    const log = (await deliveries(refused.id)).flatMap(
      ({ attempts }: { attempts: { error: string }[] }) => attempts.map(({ error }) => error),
    );
    expect(log).toEqual(Array(3).fill(expected.error));
  });

  test("is possible at most six times a minute to one host, even if webhooks are deleted and created", async () => {
    const ping = async (url: string) => {
      const { id } = await created(call, { url });
      const answer = await call("POST", `${id}/test/`);
      await call("DELETE", `${id}/`);
      return answer;
    };
    for (const port of ["", ":8443", "", ":9443", "", ""]) {
      expect((await ping(`https://hooks.example.com${port}/a`)).status).toBe(200);
      appliance.ports.clock.advance(5 * SECOND_MS);
    }
    const refused = await ping("https://HOOKS.example.com/b");
    expectRefused(refused, 429, "throttled");
    expect(refused.body.detail).toBe("At most 6 pings and resends a minute go to one host.");
    expect(refused.headers.get("retry-after")).toBe("30");
    expect(network.posts.length).toBe(6);
    expect((await ping("https://other.example.com/")).status).toBe(200);
    appliance.ports.clock.advance(30 * SECOND_MS);
    expect((await ping("https://hooks.example.com/")).status).toBe(200);
    expectRefused(await ping("https://hooks.example.com/"), 429, "throttled");
  });

  test("of one organization does not count for another", async () => {
    await appliance.app.domains.accounts.changePlan("profi", { webhooks: 20 }, COMMAND_LINE);
    const one = await created(call, { url: "https://shared.example.com/" });
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { id } = await created(call, { url: "https://shared.example.com/" });
        return call("POST", `${id}/test/`);
      }),
    );
    expectRefused(await call("POST", `${one.id}/test/`), 429, "throttled");
    const { key } = await appliance.customer({ access: "read_write" });
    const other = callsWith(appliance, key);
    const { id } = await created(other, { url: "https://shared.example.com/" });
    expect((await other("POST", `${id}/test/`)).status).toBe(200);
  });

  test("is possible again at once after the clock is set back", async () => {
    await appliance.app.domains.accounts.changePlan("profi", { webhooks: 20 }, COMMAND_LINE);
    const { id } = await created(call);
    for (let pings = 0; pings < 6; pings++) {
      const { id: other } = await created(call);
      expect((await call("POST", `${other}/test/`)).status).toBe(200);
    }
    expectRefused(await call("POST", `${id}/test/`), 429, "throttled");
    appliance.ports.clock.advance(-HOUR_MS);
    expect((await call("POST", `${id}/test/`)).status).toBe(200);
  });

  test("of a name that can no longer be resolved fails without a connection", async () => {
    const { id } = await created(call);
    network.names.set("hooks.example.com", []);
    const { status, body } = await call("POST", `${id}/test/`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ delivered: false, status: null });
    expect(network.posts).toEqual([]);
  });

  test("that fails for more than a day does not disable a webhook", async () => {
    const { id } = await created(call);
    answering({ status: 500 });
    for (let count = 0; count < 52; count++) {
      expect((await call("POST", `${id}/test/`)).body.delivered).toBe(false);
      await pass(appliance, 30 * MINUTE_MS, 30 * MINUTE_MS);
    }
    expect((await shown(id)).is_active).toBe(true);
    await appliance.app.mailer.runDue();
    expect(appliance.ports.mail.sent).toEqual([]);
  });
});
