import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import type { Appliance, Customer } from "../../support/appliance.ts";
import {
  type Call,
  created,
  deliverPost,
  endManaging,
  expectFieldFaults,
  expectRefused,
  MINUTE_MS,
  pass,
  RECEIVER,
  shownBy,
  signatureBy,
  signaturesOf,
  startManaging,
  WEBHOOKS,
} from "../../support/webhook-calls.ts";

/**
 * Answers of the methods that manage webhooks. Access, faults and plans have files of their own beside this
 * one.
 */

const NOON = "2026-11-20T12:00:00+03:00";
const LATER = "2026-11-20T12:00:01+03:00";
const SECRET = /^whsec_[\w-]{43}$/;

let appliance: Appliance;
let customer: Customer;
let call: Call;
const staff = () => appliance.app.domains.webhooks;

beforeEach(async () => {
  ({ appliance, customer, call } = await startManaging());
});
afterEach(() => endManaging(appliance));

const shown = (id: number) => shownBy(call, id);

describe("the answer", () => {
  const webhook = {
    url: RECEIVER,
    channels: [2, 1],
    is_active: true,
    disabled_reason: "",
    last_success_at: null,
    last_error: "",
    created_at: NOON,
    updated_at: NOON,
  };

  test("to create is a 201 with an active webhook and its secret, and nothing is sent", async () => {
    const answer = await call("POST", "", { url: RECEIVER, channels: [2, 1] });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      ...webhook,
      secret: expect.stringMatching(SECRET),
    });
    await pass(appliance, MINUTE_MS, MINUTE_MS);
    expect(appliance.ports.network.posts).toEqual([]);
  });

  test("to get and to list is the webhook without its secret", async () => {
    const { id } = await created(call, { channels: [2, 1] });
    expect(await shown(id)).toEqual({ id, ...webhook });
    const { status, body } = await call("GET", "");
    expect(status).toBe(200);
    expect(body).toEqual({ results: [{ id, ...webhook }], next: null });
  });

  test("to list of an organization without webhooks is an empty page", async () => {
    expect((await call("GET", "")).body).toEqual({ results: [], next: null });
  });

  test("to change is a 200 with the changed webhook", async () => {
    const { id } = await created(call);
    appliance.ports.clock.advance(1000);
    const answer = await call("PATCH", `${id}/`, { channels: [3] });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ id, ...webhook, channels: [3], updated_at: LATER });
    expect(answer.body).toEqual(await shown(id));
  });

  test("to rotate is a 200 with the webhook and a new secret", async () => {
    const { id, secret } = await created(call);
    const answer = await call("POST", `${id}/rotate-secret/`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...(await shown(id)), secret: expect.stringMatching(SECRET) });
    expect(answer.body.secret).not.toBe(secret);
  });

  test("to delete is a 204 without a body, and the webhook is gone with its log", async () => {
    const { id } = await created(call);
    const other = await created(call);
    await deliverPost(appliance, 1);
    const answer = await call("DELETE", `${id}/`);
    expect(answer.status).toBe(204);
    expect(answer.body).toBe("");
    for (const [verb, path] of [
      ["GET", ""],
      ["GET", "deliveries/"],
      ["POST", "test/"],
      ["POST", "rotate-secret/"],
      ["DELETE", ""],
    ] as const) {
      expectRefused(await call(verb, `${id}/${path}`), 404, "not_found", `${verb} ${path}`);
    }
    const { body } = await call("GET", "");
    expect(body.results.map((left: { id: number }) => left.id)).toEqual([other.id]);
    appliance.ports.network.posts.length = 0;
    await deliverPost(appliance, 2);
    const receivers = appliance.ports.network.posts.map((post) => JSON.parse(post.body).webhook);
    expect(receivers).toEqual([other.id]);
  });
});

describe("a secret", () => {
  test("is a different one for every webhook and every rotation", async () => {
    const secrets: string[] = [];
    for (let count = 0; count < 3; count++) {
      const { id, secret } = await created(call);
      const { body } = await call("POST", `${id}/rotate-secret/`, {});
      secrets.push(secret, body.secret);
    }
    expect(new Set(secrets).size).toBe(6);
  });

  test("is in no other answer, in no log and not readable in the database", async () => {
    const lines: string[] = [];
    const keep = (...line: unknown[]) => void lines.push(Bun.inspect(line, { depth: 20 }));
    Object.assign(appliance.ports.log, { info: keep, warn: keep, error: keep });
    const answers: string[] = [];
    const request = async (verb: string, path: string, body?: unknown) => {
      const answer = await call(verb, path, body);
      answers.push(`${JSON.stringify([...answer.headers])} ${JSON.stringify(answer.body)}`);
      return answer;
    };

    const { id, secret: first } = await created(call);
    const second = (await call("POST", `${id}/rotate-secret/`, { overlap_hours: 1 })).body.secret;
    const third = (await call("POST", `${id}/rotate-secret/`, { overlap_hours: 72 })).body.secret;
    await deliverPost(appliance, 1);
    appliance.ports.network.answer = () => ({ status: 500 });
    await deliverPost(appliance, 2);
    const log = await request("GET", `${id}/deliveries/`);
    await request("POST", `${id}/deliveries/${log.body.results[0].delivery}/resend/`);
    await request("POST", `${id}/test/`);
    await request("POST", `${id}/test/`);
    await request("GET", "");
    await request("GET", `${id}/`);
    await request("PATCH", `${id}/`, { channels: [2], is_active: false });
    await request("PATCH", `${id}/`, { url: `${RECEIVER}?2`, is_active: true });
    await request("PATCH", `${id}/`, { secret: first });
    await request("PATCH", `${id}/`, { url: "https://10.0.0.1/" });
    await staff().disable(id, "", COMMAND_LINE);
    await request("PATCH", `${id}/`, { is_active: true });
    for (const path of ["/v1/me/", "/v1/me/usage/"]) {
      const { body } = await appliance.request(path, { key: customer.key });
      answers.push(JSON.stringify(body));
    }
    const copy = join(mkdtempSync(join(tmpdir(), "kanalog-copy-")), "kanalog.db");
    appliance.app.domains.db.copyTo(copy);
    const bytes = readFileSync(copy);
    rmSync(dirname(copy), { recursive: true });
    expect(bytes.includes(RECEIVER)).toBe(true);
    await request("DELETE", `${id}/`);

    for (const secret of [first, second, third]) {
      expect(secret).toMatch(SECRET);
      const random = secret.slice("whsec_".length);
      for (const text of [...answers, ...lines]) expect(text).not.toContain(random);
      for (const { body, headers } of appliance.ports.network.posts) {
        expect(body + JSON.stringify(headers)).not.toContain(random);
      }
      const raw = Buffer.from(random, "base64url");
      expect(raw.byteLength).toBe(32);
      for (const form of [random, raw, raw.toString("hex"), raw.toString("base64")]) {
        expect(bytes.includes(form)).toBe(false);
      }
    }
  });
});

describe("a rotation", () => {
  const ping = async (id: number) => {
    appliance.ports.clock.advance(MINUTE_MS);
    expect((await call("POST", `${id}/test/`)).body.delivered).toBe(true);
    const post = appliance.ports.network.posts.at(-1);
    if (post === undefined) throw new Error("nothing was sent");
    return post;
  };

  test("makes the next attempt carry one signature, by the new secret", async () => {
    for (const body of [undefined, {}]) {
      const { id, secret: former } = await created(call);
      const before = await ping(id);
      expect(signaturesOf(before)).toEqual([signatureBy(former, before)]);
      const { secret } = (await call("POST", `${id}/rotate-secret/`, body)).body;
      const after = await ping(id);
      expect(signaturesOf(after)).toEqual([signatureBy(secret, after)]);
    }
  });

  test("refuses overlap_hours other than an integer from 1 to 72, and rotates nothing", async () => {
    const { id, secret } = await created(call);
    const integer = "A valid integer is required.";
    for (const [hours, fault] of [
      [0, "Ensure this value is greater than or equal to 1."],
      [-1, "Ensure this value is greater than or equal to 1."],
      [73, "Ensure this value is less than or equal to 72."],
      [1.5, integer],
      ["x", integer],
      ["", integer],
      [true, integer],
      [[1], integer],
      [{}, integer],
      [1e30, integer],
      [null, "This field may not be null."],
    ] as const) {
      const answer = await call("POST", `${id}/rotate-secret/`, { overlap_hours: hours });
      expectFieldFaults(answer, { overlap_hours: fault }, String(hours));
    }
    const post = await ping(id);
    expect(signaturesOf(post)).toEqual([signatureBy(secret, post)]);
  });
});

describe("the list", () => {
  test("has pages by number, with each webhook on one of them", async () => {
    const ids: number[] = [];
    for (let count = 0; count < 5; count++) ids.push((await created(call)).id);
    const pages: number[][] = [];
    let path: string | null = `${WEBHOOKS}?limit=2`;
    while (path !== null) {
      const { status, body } = await appliance.request(path, { key: customer.key });
      expect(status).toBe(200);
      pages.push(body.results.map(({ id }: { id: number }) => id));
      if (body.next === null) break;
      const next = new URL(body.next);
      expect(next.searchParams.get("limit")).toBe("2");
      path = next.pathname + next.search;
    }
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  });

  test("refuses an invalid page size or cursor", async () => {
    const { id } = await created(call);
    for (const path of ["", `${id}/deliveries/`]) {
      for (const [query, field] of [
        ["limit=0", "limit"],
        ["limit=101", "limit"],
        ["limit=x", "limit"],
        ["cursor=x", "cursor"],
        ["cursor=%FF", "cursor"],
      ] as const) {
        expectFieldFaults(await call("GET", `${path}?${query}`), { [field]: /./ }, query);
      }
    }
  });
});
