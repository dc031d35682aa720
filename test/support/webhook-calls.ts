import { expect } from "bun:test";
import { createHmac } from "node:crypto";
import type { MemberRole } from "../../src/customers/accounts/accounts.table.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import type { KeyAccess } from "../../src/customers/keys/key-token.ts";
import { type Answer, type Appliance, type Customer, startAppliance } from "./appliance.ts";
import { channel, imported } from "./expectations.ts";
import type { FakePorts, FakePost } from "./fake-ports.ts";
import { MINUTE_MS } from "./pushing.ts";

export const WEBHOOKS = "/v1/msgr/webhooks/";
export const RECEIVER = "https://hooks.example.com/posts";

/** The body that creates a webhook. */
export const CREATE = { url: RECEIVER, channels: [1] };
/** A number that no webhook and nothing else has. */
export const UNKNOWN_ID = 999_999;

export { DAY_MS, HOUR_MS, holdAnswers, MINUTE_MS, SECOND_MS } from "./pushing.ts";

/** Every method for one webhook, with the status of its success. */
export const METHODS_OF_ONE = [
  ["GET", "", undefined, 200],
  ["GET", "deliveries/", undefined, 200],
  ["POST", "test/", undefined, 200],
  ["PATCH", "", { channels: [2] }, 200],
  ["POST", "rotate-secret/", undefined, 200],
  ["DELETE", "", undefined, 204],
] as const;

/** A call with a key; the path is relative to `/v1/msgr/webhooks/`, a body is sent as JSON. */
export type Call = (verb: string, path: string, body?: unknown) => Promise<Answer>;

export function callsWith(appliance: Appliance, key: string | null): Call {
  return (verb, path, body) =>
    appliance.request(WEBHOOKS + path, {
      method: verb,
      key,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    });
}

/** An appliance with channels 1 to 3, and calls with an owner's read-and-write key. */
export interface Managing {
  appliance: Appliance;
  customer: Customer;
  call: Call;
}

export async function startManaging(ports?: FakePorts): Promise<Managing> {
  const appliance = await startAppliance({}, ports);
  await importChannels(appliance, 3);
  const customer = await appliance.customer({ access: "read_write" });
  return { appliance, customer, call: callsWith(appliance, customer.key) };
}

/** Closes the appliance; no test that only manages webhooks may log an error. */
export async function endManaging({ ports, close }: Appliance): Promise<void> {
  expect(ports.log.errors).toEqual([]);
  await close();
}

/** A webhook as the API shows it. */
// biome-ignore lint/suspicious/noExplicitAny: an answer's body
export async function shownBy(call: Call, id: number): Promise<any> {
  const { status, body } = await call("GET", `${id}/`);
  expect(status).toBe(200);
  return body;
}

/** A webhook's log of deliveries, latest first. */
// biome-ignore lint/suspicious/noExplicitAny: an answer's body
export async function deliveriesBy(call: Call, id: number): Promise<any[]> {
  const { status, body } = await call("GET", `${id}/deliveries/`);
  expect(status).toBe(200);
  return body.results;
}

/** A key of a new member of the organization. */
export async function keyOf(
  { app: { domains } }: Appliance,
  organizationId: number,
  role: MemberRole,
  access: KeyAccess,
): Promise<string> {
  const member = await domains.accounts.addMember(
    {
      organizationId,
      email: `${role}-${access}-${(await domains.accounts.members(organizationId)).length}@example.com`,
      name: role,
      role,
    },
    COMMAND_LINE,
  );
  const key = { memberId: member.id, name: "", access, expiresAt: null };
  return (await domains.keys.createKey(key, COMMAND_LINE)).token;
}

/** Imports public channels with the numbers 1, 2, … */
export async function importChannels(appliance: Appliance, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => channel(index + 1));
  await imported(appliance, "channels", rows);
}

/** Creates a webhook. @returns it as the answer shows it, with its secret */
export async function created(
  call: Call,
  fields: { url?: string; channels?: number[] } = {},
  // biome-ignore lint/suspicious/noExplicitAny: an answer's body
): Promise<any> {
  const answer = await call("POST", "", { url: RECEIVER, channels: [1], ...fields });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

/** Expects a refusal with this status and code. */
export function expectRefused(answer: Answer, status: number, code: string, what = ""): void {
  expect(answer.body, what).toEqual({ code, detail: expect.any(String) });
  expect(answer.status, what).toBe(status);
}

/** Expects a 400 with faults of exactly these fields; where a text is given, with exactly that text. */
export function expectFieldFaults(
  { status, body }: Answer,
  faults: Record<string, string | RegExp>,
  what = "",
): void {
  expect(status, `${what} ${JSON.stringify(body)}`).toBe(400);
  expect(Object.keys(body).sort(), what).toEqual(Object.keys(faults).sort());
  for (const [field, fault] of Object.entries(faults)) {
    expect(body[field], what).toBeArrayOfSize(1);
    if (typeof fault === "string") expect(body[field][0], what).toBe(fault);
    else expect(body[field][0], what).toMatch(fault);
  }
}

/** Imports a post published at this moment. */
async function importPost(appliance: Appliance, id: number, ofChannel = 1): Promise<void> {
  const publishedAt = new Date(appliance.ports.clock.now()).toISOString();
  const row = { id, channel: ofChannel, text: `Post ${id}`, published_at: publishedAt };
  await imported(appliance, "posts", [row]);
}

/** Does all webhook work that falls due in this time, one step at a time. */
export async function pass(appliance: Appliance, totalMs: number, stepMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < totalMs; passedMs += stepMs) {
    appliance.ports.clock.advance(stepMs);
    await appliance.app.push.runDue();
  }
}

/** Imports a new post, and does what is due within the next minute. */
export async function deliverPost(appliance: Appliance, id: number, ofChannel = 1): Promise<void> {
  await importPost(appliance, id, ofChannel);
  await pass(appliance, MINUTE_MS, MINUTE_MS);
}

/** The signatures of a delivery, in their order. */
export function signaturesOf({ headers }: FakePost): string[] {
  const [, ...signatures] = (headers["x-service-signature"] ?? "").split(",");
  return signatures.map((part) => part.replace(/^v1=/, ""));
}

/** A secret's signature of a delivery (specification, section 6). */
export function signatureBy(secret: string, { headers, body }: FakePost): string {
  const time = /^t=(\d+),/.exec(headers["x-service-signature"] ?? "")?.[1];
  return createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
}
