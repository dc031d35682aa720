import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import type { PostResult } from "../../../src/ports/network.ts";
import type { Appliance, Customer } from "../../support/appliance.ts";
import type { FakeNetwork } from "../../support/fake-ports.ts";
import {
  type Call,
  created,
  DAY_MS,
  deliveriesBy,
  deliverPost,
  endManaging,
  expectFieldFaults,
  expectRefused,
  HOUR_MS,
  holdAnswers,
  MINUTE_MS,
  pass,
  RECEIVER,
  SECOND_MS,
  shownBy,
  startManaging,
  WEBHOOKS,
} from "../../support/webhook-calls.ts";

/** The log of attempts, and attempts that a customer asks for again. */

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

describe("the log of deliveries", () => {
  test("is empty before anything was sent", async () => {
    const { id } = await created(call);
    expect((await call("GET", `${id}/deliveries/`)).body).toEqual({ results: [], next: null });
  });

  test("shows a delivery with its event, posts, attempts and the next attempt", async () => {
    const { id } = await created(call);
    answering({ status: 500 });
    await deliverPost(appliance, 7);
    const pending = {
      delivery: expect.any(Number),
      event: "post.created",
      created_at: "2026-11-20T12:01:00+03:00",
      posts: [7],
      state: "pending",
      attempts: [
        {
          attempted_at: "2026-11-20T12:01:00+03:00",
          status: 500,
          error: expect.stringContaining("500"),
          duration_ms: expect.any(Number),
        },
      ],
      next_attempt_at: "2026-11-20T12:02:00+03:00",
    };
    expect(await deliveries(id)).toEqual([pending]);

    answering({ fault: "timeout" });
    await pass(appliance, MINUTE_MS, MINUTE_MS);
    answering({ status: 200 });
    await pass(appliance, 5 * MINUTE_MS, 5 * MINUTE_MS);
    const [{ state, next_attempt_at, attempts, delivery }] = await deliveries(id);
    expect([state, next_attempt_at]).toEqual(["delivered", null]);
    const outcomes = attempts.map(({ attempted_at, status, error }: Record<string, unknown>) => [
      attempted_at,
      status,
      error === "",
    ]);
    expect(outcomes).toEqual([
      ["2026-11-20T12:01:00+03:00", 500, false],
      ["2026-11-20T12:02:00+03:00", null, false],
      ["2026-11-20T12:07:00+03:00", 200, true],
    ]);
    const sent = network.posts.map(({ headers }) => headers["x-service-delivery"]);
    expect(sent).toEqual(Array(3).fill(String(delivery)));
  });

  test("shows pings, and only the webhook's own deliveries", async () => {
    const { id } = await created(call);
    const other = await created(call, { channels: [2] });
    const { delivery } = (await call("POST", `${id}/test/`)).body;
    expect(await deliveries(id)).toMatchObject([
      { delivery, event: "ping", posts: [], state: "delivered", next_attempt_at: null },
    ]);
    expect(await deliveries(other.id)).toEqual([]);
  });

  test("comes newest first, in pages that show each once while new ones are added", async () => {
    const { id } = await created(call);
    const ping = async () => {
      appliance.ports.clock.advance(MINUTE_MS);
      return (await call("POST", `${id}/test/`)).body.delivery;
    };
    const made: number[] = [];
    for (let count = 0; count < 5; count++) made.unshift(await ping());
    const pages: number[][] = [];
    let path = `${WEBHOOKS}${id}/deliveries/?limit=2`;
    for (;;) {
      const { status, body } = await appliance.request(path, { key: customer.key });
      expect(status).toBe(200);
      pages.push(body.results.map(({ delivery }: { delivery: number }) => delivery));
      if (body.next === null) break;
      const next = new URL(body.next);
      path = next.pathname + next.search;
      await ping();
    }
    expect(pages).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)]);
  });

  test("takes a cursor of its own only", async () => {
    const [one, other] = [await created(call), await created(call)];
    for (let count = 0; count < 2; count++) {
      appliance.ports.clock.advance(MINUTE_MS);
      for (const { id } of [one, other]) await call("POST", `${id}/test/`);
    }
    const cursorOf = async (path: string) => {
      const { body } = await call("GET", `${path}?limit=1`);
      return new URL(body.next).searchParams.get("cursor") ?? "";
    };
    const cursors = {
      "": await cursorOf(""),
      [`${one.id}/deliveries/`]: await cursorOf(`${one.id}/deliveries/`),
      [`${other.id}/deliveries/`]: await cursorOf(`${other.id}/deliveries/`),
    };
    for (const [of, cursor] of Object.entries(cursors)) {
      for (const path of Object.keys(cursors)) {
        const answer = await call("GET", `${path}?cursor=${cursor}`);
        if (path === of) expect(answer.status).toBe(200);
        else expectFieldFaults(answer, { cursor: "Invalid cursor." }, `${of} at ${path}`);
      }
    }
  });
});

describe("sending again", () => {
  async function failed() {
    const { id } = await created(call);
    answering({ status: 500 });
    await deliverPost(appliance, 1);
    const [{ delivery }] = await deliveries(id);
    answering({ status: 204 });
    return { id: id as number, delivery: delivery as number };
  }
  const resend = ({ id, delivery }: { id: number; delivery: number }) =>
    call("POST", `${id}/deliveries/${delivery}/resend/`);

  test("makes one attempt now, of the same number and the same body, and says what came of it", async () => {
    const at = await failed();
    appliance.ports.clock.advance(SECOND_MS);
    const answer = await resend(at);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...{ delivered: true, status: 204, error: "", duration_ms: expect.any(Number) },
      delivery: at.delivery,
    });
    const [first, second, ...more] = network.posts;
    expect(more).toEqual([]);
    expect(second?.body).toBe(first?.body ?? "");
    expect(second?.headers["x-service-delivery"]).toBe(String(at.delivery));
    const [{ state, attempts, next_attempt_at }] = await deliveries(at.id);
    expect([state, attempts.length, next_attempt_at]).toEqual(["delivered", 2, null]);
    await pass(appliance, HOUR_MS, MINUTE_MS);
    expect(network.posts.length).toBe(2);
  });

  test("is possible for what was delivered, and goes to the present address", async () => {
    const at = await failed();
    await resend(at);
    await call("PATCH", `${at.id}/`, { url: "https://other.example.com/new" });
    expect((await resend(at)).body.delivered).toBe(true);
    expect(network.posts.at(-1)).toMatchObject({ host: "other.example.com", path: "/new" });
  });

  test("that fails leaves the ladder where it was", async () => {
    const at = await failed();
    answering({ status: 502 });
    appliance.ports.clock.advance(SECOND_MS);
    expect((await resend(at)).body).toMatchObject({ delivered: false, status: 502 });
    const [{ state, attempts, next_attempt_at }] = await deliveries(at.id);
    expect([state, attempts.length]).toEqual(["pending", 2]);
    expect(next_attempt_at).toBe("2026-11-20T12:02:00+03:00");
  });

  test("reaches one host six times a minute at the most", async () => {
    const at = await failed();
    for (let sent = 0; sent < 6; sent++) expect((await resend(at)).status).toBe(200);
    const refused = await resend(at);
    expect([refused.status, refused.body.code]).toEqual([429, "throttled"]);
    appliance.ports.clock.advance(MINUTE_MS);
    expect((await resend(at)).status).toBe(200);
  });

  test("is a conflict while the webhook is disabled", async () => {
    const at = await failed();
    await call("PATCH", `${at.id}/`, { is_active: false });
    expectRefused(await resend(at), 409, "conflict");
    await call("PATCH", `${at.id}/`, { is_active: true });
    expect((await resend(at)).body.delivered).toBe(true);
    await appliance.app.domains.webhooks.disable(at.id, "", COMMAND_LINE);
    expectRefused(await resend(at), 409, "conflict");
    expect(network.posts.length).toBe(2);
  });

  test("is a conflict while an attempt of it is in flight", async () => {
    const at = await failed();
    const { called, answer } = holdAnswers(network);
    const first = resend(at);
    await called;
    expectRefused(await resend(at), 409, "conflict");
    answer({ status: 204 });
    expect((await first).body.delivered).toBe(true);
    expect((await resend(at)).status).toBe(200);
    expect(network.posts.length).toBe(3);
  });

  test("is a conflict while its scheduled attempt is in flight", async () => {
    const at = await failed();
    const { called, answer } = holdAnswers(network);
    appliance.ports.clock.advance(MINUTE_MS);
    const due = appliance.app.push.runDue();
    await called;
    expectRefused(await resend(at), 409, "conflict");
    answer({ status: 204 });
    await due;
    expect(network.posts.length).toBe(2);
    expect((await resend(at)).status).toBe(200);
  });

  test("is a conflict once the event is older than two days", async () => {
    const at = await failed();
    await resend(at);
    const sent = network.posts.length;
    // The event was assembled a minute after noon.
    appliance.ports.clock.set("2026-11-22T12:00:59+03:00");
    expect((await resend(at)).status).toBe(200);
    appliance.ports.clock.set("2026-11-22T12:01:01+03:00");
    expectRefused(await resend(at), 409, "conflict");
    expect(network.posts.length).toBe(sent + 1);
  });

  test("of a delivery of another webhook, or of none, is a 404", async () => {
    const at = await failed();
    const other = await created(call, { url: `${RECEIVER}/other`, channels: [2] });
    expectRefused(await resend({ ...at, id: other.id }), 404, "not_found");
    expectRefused(await resend({ ...at, delivery: 999_999 }), 404, "not_found");
    expectRefused(await resend({ ...at, id: 999_999 }), 404, "not_found");
    expect(network.posts.length).toBe(1);
  });

  test("to an address that is refused meanwhile fails as an unreachable one", async () => {
    const at = await failed();
    answering({ fault: "unreachable" });
    const { body: unreachable } = await resend(at);
    network.names.set("hooks.example.com", ["10.0.0.1"]);
    const { status, body } = await resend(at);
    expect(status).toBe(200);
    expect(body).toEqual(unreachable);
    expect(network.posts.length).toBe(2);
  });

  test("does not work around the day of failures: what it disabled stays so", async () => {
    const at = await failed();
    answering({ status: 500 });
    await pass(appliance, DAY_MS, 30 * MINUTE_MS);
    expect((await shown(at.id)).disabled_reason).toBe("failures");
    expectRefused(await resend(at), 409, "conflict");
  });
});
