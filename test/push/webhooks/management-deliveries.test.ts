import { afterEach, beforeEach, describe, expect, test } from "bun:test";
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
  MINUTE_MS,
  pass,
  shownBy,
  startManaging,
  WEBHOOKS,
} from "../../support/webhook-calls.ts";

/** Pages of the log of deliveries, and how often a customer may resend. */

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

  test("is newest first, in pages that show each once while new ones are added, and is free", async () => {
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
      const { status, body, headers } = await appliance.request(path, { key: customer.key });
      expect(status).toBe(200);
      expect(headers.get("x-request-cost")).toBe("0");
      pages.push(body.results.map(({ delivery }: { delivery: number }) => delivery));
      if (body.next === null) break;
      const next = new URL(body.next);
      path = next.pathname + next.search;
      await ping();
    }
    expect(pages).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)]);
  });

  test("accepts only its own cursors", async () => {
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

describe("a resend", () => {
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

  test("is possible at most six times a minute to one host", async () => {
    const at = await failed();
    for (let sent = 0; sent < 6; sent++) expect((await resend(at)).status).toBe(200);
    const refused = await resend(at);
    expect([refused.status, refused.body.code]).toEqual([429, "throttled"]);
    appliance.ports.clock.advance(MINUTE_MS);
    expect((await resend(at)).status).toBe(200);
  });

  test("is refused while four attempts of its webhook are in progress, and possible once they have ended", async () => {
    const { id } = await created(call);
    answering({ status: 500 });
    for (let post = 1; post <= 5; post++) await deliverPost(appliance, post);
    const failures = (await deliveries(id)).map(({ delivery }) => ({ id, delivery }));
    const last = { id, delivery: failures.at(-1)?.delivery };
    const others = failures.slice(0, -1);
    expect(others).toHaveLength(4);
    const held = Promise.withResolvers<PostResult>();
    let began = 0;
    const begun = Promise.withResolvers<void>();
    network.answer = () => {
      began += 1;
      if (began === others.length) begun.resolve();
      return began > others.length ? { status: 204 } : held.promise;
    };
    const underWay = others.map(resend);
    await begun.promise;
    const refused = await resend(last);
    expect(refused.body.detail).toBe("Too many attempts of this webhook are under way.");
    expectRefused(refused, 429, "throttled");
    held.resolve({ status: 204 });
    for (const one of await Promise.all(underWay)) expect(one.body.delivered).toBe(true);
    expect((await resend(last)).status).toBe(200);
  });

  test("does not get around a day of failures: a webhook disabled for it stays disabled", async () => {
    const at = await failed();
    answering({ status: 500 });
    await pass(appliance, DAY_MS, 30 * MINUTE_MS);
    expect((await shown(at.id)).disabled_reason).toBe("failures");
    expectRefused(await resend(at), 409, "conflict");
  });
});
