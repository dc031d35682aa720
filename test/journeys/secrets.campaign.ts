import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { type Receiver, startReceiver } from "../support/https-receiver.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { until } from "../support/until.ts";
import { PASSWORD, remoteVisitor, type Visitor } from "../support/visitor.ts";
import {
  type Customer,
  call,
  createWebhook,
  importPosts,
  posts,
  pushing,
  withCustomers,
} from "../support/webhook-journey.ts";

const INSTALLATION_SECRET = "a text of more than thirty-two characters: Wolpertinger";
const SMTP_PASSWORD = "Elwetritsch";

let machine: Machine;
let receiver: Receiver;
/** All secrets that were created, by what they are. */
let secrets: Map<string, string>;
/** All answers, output and command lines of processes, except for what hands a secret over. */
let seen: string[];
beforeEach(async () => {
  machine = createMachine();
  secrets = new Map();
  seen = [];
  receiver = await startReceiver((request) => ({ status: request.path === "/good" ? 200 : 500 }));
});
afterEach(async () => {
  await machine.leave();
  await receiver.close();
});

test("no secret appears in a log, another answer than its own, the metrics, or the process list", async () => {
  const environment = {
    ...pushing().environment,
    KANALOG_LOG_LEVEL: "debug",
    KANALOG_SECRET: INSTALLATION_SECRET,
    // Nothing listens there, so that mails fail.
    KANALOG_SMTP_URL: `smtp://ada:${SMTP_PASSWORD}@127.0.0.1:9`,
    KANALOG_BASE_URL: "http://127.0.0.1",
  };
  secrets.set("the installation's", INSTALLATION_SECRET).set("mail server's", SMTP_PASSWORD);
  const customer = await makeKey();
  const serving = await machine.serve(["serve"], { environment });

  const visitor = await setUp(serving);
  await useSite(serving, visitor);
  await useApi(serving, customer);
  await useCommands();
  await breakThings(serving, customer);
  await lookAround(serving, visitor, customer);
  expect(await serving.stop()).toBe(0);
  rememberStored();

  // What `serve` prints for its operator contains the set-up address; the log does not.
  const lines = serving.printed().split("\n");
  const logged = lines.filter((line) => line.startsWith("{")).join("\n");
  const shown = lines.filter((line) => !line.startsWith("{")).join("\n");
  expect(shown).toContain(secrets.get("the set-up's token") ?? "none");
  const outputs = { logged, shown: shown.replace(/token=\S+/, ""), seen: seen.join("\n") };
  for (const [what, secret] of secrets) {
    expect(secret.length, what).toBeGreaterThanOrEqual(10);
    const places = Object.entries(outputs).filter(([, text]) => text.includes(secret));
    expect([what, places.map(([place]) => place)]).toEqual([what, []]);
  }
  // Otherwise the test would have looked at nothing.
  expect(logged).toContain('"level":"debug"');
  expect(logged).toContain('"level":"warn"');
  expect(seen.join()).toContain("kanalog_requests_total");
  expect(secrets.size).toBe(24);

  // Secrets that cannot be shown again are not in the file either: only as hashes, or encrypted.
  const stored = readdirSync(machine.folder)
    .filter((name) => name.startsWith("kanalog.db"))
    .map((name) => readFileSync(machine.path(name), "latin1"))
    .join("\n");
  const unstored = [...secrets].filter(([what]) => !/hash|token|session|cursor/.test(what));
  expect(unstored.length).toBeGreaterThan(8);
  for (const [what, secret] of unstored)
    expect([what, stored.includes(secret)]).toEqual([what, false]);
});

/** Runs a command; records its output, and the process list meanwhile. */
async function run(words: readonly string[], printsSecret = false): Promise<string> {
  const child = machine.spawn(words);
  const [out, notes] = [child.stdout.text(), child.stderr.text()];
  seen.push(commandLine(child.pid));
  await child.exited;
  seen.push(await notes, printsSecret ? "" : await out);
  return out;
}

/** What every user of the machine can see of a process. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

function remember(what: string, secret: string | undefined): string {
  if (secret === undefined) throw new Error(`there is no ${what}`);
  secrets.set(what, secret);
  return secret;
}

/** An organization with an owner; only `key create` prints its key. */
async function makeKey(): Promise<Customer> {
  const [{ organization }] = await withCustomers(machine, { customers: 1, channels: 1 });
  const words = ["key", "create", "--member", "1", "--write"];
  const printed = await run(words, true);
  const key = remember("key of a command", /knl_rw_\w{38}/.exec(printed)?.[0]);
  return { organization, key };
}

async function setUp(serving: Serving): Promise<Visitor> {
  await until(() => serving.printed().includes("/account/set-up/"));
  const [path = "", token] = /\/account\/set-up\/\?token=(\S+)/.exec(serving.printed()) ?? [];
  remember("the set-up's token", token);
  remember("password", PASSWORD);
  const visitor = remoteVisitor(serving.address);
  await visitor.post(path, {
    ...{ action: "set-up", token: token ?? "", name: "Olga", organization: "Own" },
    ...{ email: "olga@example.com", password: PASSWORD },
  });
  remember("first session", visitor.cookies.get("kanalog.session_token"));
  visitor.cookies.clear();
  seen.push((await visitor.signIn("olga@example.com", "a wrong one")).html);
  expect((await visitor.signIn("olga@example.com")).status).toBe(303);
  remember("session", visitor.cookies.get("kanalog.session_token"));
  return visitor;
}

async function useSite(serving: Serving, visitor: Visitor): Promise<void> {
  const fields = { action: "create", name: "robot", access: "read_write", expires: "" };
  const made = await visitor.post("/account/keys/", fields);
  const key = remember("key of the site", /knl_rw_\w{38}/.exec(made.html)?.[0]);
  seen.push(await (await serving.get("/v1/me/", key)).text());
  const stranger = remoteVisitor(serving.address);
  await stranger.post("/account/forgotten-password/", {
    action: "send",
    email: "olga@example.com",
  });
  const links = () => machine.query<{ text: string }>("SELECT text FROM mails");
  await until(() => links().length > 0);
  const token = remember("password token", /token=([\w-]+)/.exec(links()[0]?.text ?? "")?.[1]);
  const wrong = { action: "choose", token: "x".repeat(24), password: "another long one" };
  seen.push((await stranger.post("/account/choose-password/?token=x", wrong)).html);
  const next = remember("password chosen later", "Rasselbock and Hanghuhn");
  await stranger.post(`/account/choose-password/?token=${token}`, {
    ...{ action: "choose", token, password: next },
  });
  expect((await visitor.signIn("olga@example.com", next)).status).toBe(303);
  remember("session of later", visitor.cookies.get("kanalog.session_token"));
}

async function useApi(serving: Serving, customer: Customer) {
  for (const path of ["/good", "/bad"]) {
    const webhook = await createWebhook(serving, customer, receiver, path, [1]);
    remember(`webhook's secret ${path}`, webhook.secret);
    const at = `/v1/msgr/webhooks/${webhook.id}/`;
    const rotated = await call<{ secret: string }>(
      ...([serving, customer.key, "POST", `${at}rotate-secret/`, { overlap_hours: 1 }] as const),
    );
    remember(`webhook's secret ${path}, rotated`, rotated.body.secret);
    for (const [verb, what] of [
      ["POST", "test/"],
      ["GET", "deliveries/"],
      ["GET", ""],
    ] as const) {
      seen.push(JSON.stringify(await call(serving, customer.key, verb, at + what)));
    }
  }
  await importPosts(machine, posts(1, 3));
  await until(() => receiver.requests.length >= 4);
  const { key } = customer;
  for (const path of [`/v1/me/?key=${key}`, `/v1/${key}/`, `/${key}`]) {
    // A path that contains a key appears in no log, and the answer does not repeat it.
    const response = await serving.get(path);
    seen.push(await response.text());
  }
  for (const wrong of [`${key}x`, key.slice(0, -1), `Bearer ${key}`]) {
    seen.push(await (await serving.get("/v1/me/", wrong)).text());
  }
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  for (const path of ["/v1/mcp/", "/v1/msgr/webhooks/"]) {
    const body = `{"${key}": "${key}", `;
    const response = await fetch(serving.address + path, { method: "POST", headers, body });
    seen.push(await response.text());
  }
}

async function useCommands(): Promise<void> {
  const words = ["member", "password", "2", "--stdin"];
  const password = remember("password by command", "Dilldapp likes to run");
  const child = machine.spawn(words, { stdin: `${password}\n` });
  seen.push(commandLine(child.pid), await child.stdout.text(), await child.stderr.text());
  for (const command of [
    ["key", "list", "1"],
    ["webhook", "deliveries", "2"],
    ["config"],
    ["backup", "backup.db"],
  ]) {
    await run(command);
  }
}

/** Locks the database, so that there are warnings and errors with their causes. */
async function breakThings(serving: Serving, { key }: Customer): Promise<void> {
  const holder = machine.open();
  holder.exec("BEGIN IMMEDIATE");
  const answers = [
    await serving.get("/v1/msgr/channels/1/", key),
    await fetch(`${serving.address}/v1/msgr/webhooks/1/rotate-secret/`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
    }),
  ];
  holder.exec("ROLLBACK");
  holder.close();
  for (const answer of answers) {
    expect(answer.status).toBe(503);
    seen.push(await answer.text());
  }
}

async function lookAround(serving: Serving, visitor: Visitor, { key }: Customer): Promise<void> {
  const pages = [
    "/staff/errors/",
    "/staff/audit/",
    "/staff/",
    "/account/keys/",
    "/staff/webhooks/",
  ];
  for (const path of pages) {
    const { status, html } = await visitor.get(path);
    expect(status, path).toBe(200);
    seen.push(html);
  }
  for (const path of ["/metrics", "/readyz", "/v1/me/", "/v1/me/usage/", "/v1/msgr/webhooks/"]) {
    const response = await serving.get(path, key);
    expect(response.status, path).toBe(200);
    seen.push(await response.text());
  }
  seen.push(commandLine(serving.pid));
}

/** Hashes and secrets stored in the file, in all notations in which they could be written. */
function rememberStored(): void {
  for (const { id, hash } of machine.query<{ id: number; hash: Buffer }>(
    "SELECT id, hash FROM keys",
  )) {
    remember(`hash of key ${id}, in hex`, hash.toString("hex"));
    remember(`hash of key ${id}, in base64`, hash.toString("base64"));
  }
  const [credential] = machine.query<{ password: string }>("SELECT password FROM credentials");
  remember("hash of a password", credential?.password);
  const [meta] = machine.query<{ value: Buffer }>(
    "SELECT value FROM meta WHERE name = 'cursor_secret'",
  );
  remember("cursors' secret", meta?.value.toString("base64"));
}
