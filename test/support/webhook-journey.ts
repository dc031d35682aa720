import { expect } from "bun:test";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { openDomains } from "../../src/app/domains.ts";
import { readConfig } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";

import { systemPorts } from "../../src/ports/ports.ts";
import type { ReceivedRequest, Receiver } from "./https-receiver.ts";
import type { Machine, RunOptions, Serving } from "./machine.ts";

const CA_FILE = join(import.meta.dir, "tls/ca.pem");

/** How often a serving process with `pushing()` cuts events. */
const BATCH_MS = 1_000;

/** Settings with which the real process sends to receivers on this machine, and soon. */
export function pushing(more: Record<string, string> = {}): RunOptions {
  return {
    environment: {
      KANALOG_WEBHOOK_ALLOW: "127.0.0.0/8",
      KANALOG_WEBHOOK_CA_FILE: CA_FILE,
      KANALOG_WEBHOOK_BATCH_SECONDS: String(BATCH_MS / 1_000),
      KANALOG_WEBHOOK_RETRIES: Array(30).fill("1s").join(),
      ...more,
    },
  };
}

export interface Customer {
  organization: number;
  /** An owner's read-and-write key. */
  key: string;
}

/** Creates organizations on Profi, and channels 1 to `channels`, in a file that nothing serves yet. */
export async function withCustomers(
  machine: Machine,
  { customers, channels }: { customers: number; channels: number },
): Promise<[Customer, ...Customer[]]> {
  const rows = Array.from({ length: channels }, (_, at) => `${at + 1},Канал ${at + 1},1000`);
  machine.write("channels.csv", `id,title,subscribers\n${rows.join("\n")}\n`);
  const { exitCode, notes } = await machine.run(["import", "channels", "channels.csv"]);
  expect(exitCode, notes).toBe(0);
  // With one process per command it would take a minute.
  const config = readConfig({ KANALOG_DB: machine.database, KANALOG_LOG_LEVEL: "silent" });
  const { db, accounts, keys } = await openDomains(config, systemPorts(config));
  try {
    await accounts.changePlan("profi", { requestsPerSecond: 1_000_000 }, COMMAND_LINE);
    const made: Customer[] = [];
    for (let at = 0; at < customers; at++) {
      const organization = await accounts.createOrganization(
        { name: `Acme ${at}`, plan: "profi" },
        COMMAND_LINE,
      );
      const email = `owner-${at}@example.com`;
      const member = { organizationId: organization.id, email, name: "", role: "owner" } as const;
      const { id: memberId } = await accounts.addMember(member, COMMAND_LINE);
      const access = "read_write" as const;
      const { token } = await keys.createKey(
        { memberId, name: "", access, expiresAt: null },
        COMMAND_LINE,
      );
      made.push({ organization: organization.id, key: token });
    }
    return made as [Customer, ...Customer[]];
  } finally {
    db.close();
  }
}

/** Calls a method of the API with a JSON body. */
export async function call<T = Record<string, unknown>>(
  { address }: Pick<Serving, "address">,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: T }> {
  const response = await fetch(address + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as T };
}

export interface NewWebhook {
  id: number;
  secret: string;
}

/** Creates a webhook for a path of a receiver on this machine. */
export async function createWebhook(
  serving: Serving,
  { key }: Customer,
  { host, port }: Pick<Receiver, "host" | "port">,
  path: string,
  channels: number[],
): Promise<NewWebhook> {
  const url = `https://${host}:${port}${path}`;
  const given = { url, channels };
  const made = await call<NewWebhook>(serving, key, "POST", "/v1/msgr/webhooks/", given);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body;
}

/** Expects the test ping of a webhook to arrive. From then on the webhook has delivered before. */
export async function expectPing(
  serving: Serving,
  { key }: Customer,
  { id }: NewWebhook,
): Promise<void> {
  const { body } = await call(serving, key, "POST", `/v1/msgr/webhooks/${id}/test/`);
  expect(body).toMatchObject({ delivered: true, status: 200 });
}

/** Writes posts of a channel, published now, to a file for `import posts`. @returns the file's name */
export function writePosts(
  machine: Machine,
  posts: readonly { id: number; channel: number }[],
): string {
  const name = `posts-${posts[0]?.id}.ndjson`;
  const published_at = new Date().toISOString();
  const rows = posts.map(({ id, channel }) => ({
    ...{ id, channel, published_at },
    text: `Пост ${id} 🚀 строка\u2028и ещё одна`,
  }));
  machine.write(name, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return name;
}

/** Imports posts of a channel, published now, in a separate process. */
export async function importPosts(
  machine: Machine,
  posts: readonly { id: number; channel: number }[],
): Promise<void> {
  const file = writePosts(machine, posts);
  const { exitCode, notes } = await machine.run(["import", "posts", file]);
  expect(exitCode, notes).toBe(0);
}

/** `count` posts of a channel, numbered from `first` on. */
export function posts(
  first: number,
  count: number,
  channel = 1,
): { id: number; channel: number }[] {
  return Array.from({ length: count }, (_, at) => ({ id: first + at, channel }));
}

/** A request's description of its delivery. */
interface ReadEvent {
  event: string;
  webhook: number;
  /** Null unless posts matched one. */
  alert: number | null;
  delivery: number;
  posts: number[];
}

export function readEvent({ headers, body }: ReceivedRequest): ReadEvent {
  const { event, webhook, alert, posts } = JSON.parse(new TextDecoder().decode(body)) as {
    event: string;
    webhook: number;
    alert?: { id: number };
    posts: { id: number }[];
  };
  const delivery = Number(headers["x-service-delivery"]);
  return {
    ...{ event, webhook, alert: alert?.id ?? null, delivery },
    posts: posts.map(({ id }) => id),
  };
}

/** Whether the request is signed with the secret (specification, section 6). */
export function isSignedWith({ headers, body }: ReceivedRequest, secret: string): boolean {
  const signature = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers["x-service-signature"] ?? "");
  if (signature === null) return false;
  const expected = createHmac("sha256", secret)
    .update(`${signature[1]}.`)
    .update(body)
    .digest("hex");
  return expected === signature[2];
}

/** Work of the push that is still pending in the file, or claimed. */
export function unfinished(machine: Machine): {
  read: number;
  pending: number;
  claimed: number;
  lost: number;
} {
  const [row] = machine.query<ReturnType<typeof unfinished>>(`
    SELECT (SELECT count(*) FROM read_posts) + (SELECT count(*) FROM alert_posts) AS read,
      (SELECT count(*) FROM webhook_deliveries WHERE state = 'pending') AS pending,
      (SELECT count(*) FROM webhook_deliveries
       WHERE claim IS NOT NULL OR claimed_until IS NOT NULL) AS claimed,
      (SELECT count(*) FROM webhook_deliveries WHERE state IN ('failed', 'dropped')
         AND event <> 'ping') AS lost`);
  if (row === undefined) throw new Error("a query of counts has a row");
  return row;
}

export const elapsed = (durationMs: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, durationMs));

/** Random numbers in [0, 1), the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
