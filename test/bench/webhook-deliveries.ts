/**
 * Deliveries per second of a serving process to an HTTPS receiver on this machine, compared with a bare loop of
 * the same requests at the same concurrency, in turns of one run:
 * `bun test/bench/webhook-deliveries.ts [rounds] [--profile FOLDER]`. Receiver, appliance and loop are separate
 * processes; both rates are measured by the receiver, from its first request to its last. Processor times are
 * printed too, because on two processors they determine the rates, and other work on the machine does not change
 * them. `nodes [MILLISECONDS]` compares one node with two over PostgreSQL instead, to a receiver that takes so long.
 */
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { openDomains } from "../../src/app/domains.ts";
import { importFile } from "../../src/catalog/imports/import-file.ts";
import { readConfig } from "../../src/config.ts";

import { systemNetwork } from "../../src/ports/network.ts";
import { systemPorts } from "../../src/ports/ports.ts";
import { signatureHeader } from "../../src/push/webhooks/delivery/attempt.ts";
import { cutPart, endPart, startDueWork } from "../../src/push/webhooks/events/due-work.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { startPostgres } from "../support/postgres.ts";
import {
  createWebhook,
  elapsed,
  posts,
  pushing,
  withCustomers,
  writePosts,
} from "../support/webhook-journey.ts";
import { median } from "./peers/statistics.ts";

const WEBHOOKS_EACH = 4;
const CUSTOMERS = 4;
const WEBHOOKS = CUSTOMERS * WEBHOOKS_EACH;
/** The appliance makes up to four attempts per webhook at once. */
const CONCURRENCY = 4 * WEBHOOKS;
const EVENTS_EACH = 1_000;
const DELIVERIES = WEBHOOKS * EVENTS_EACH;
const POSTS_PER_EVENT = 3;
/** More attempts at once than two nodes make, of 192 each; not all are sent. */
const OVER_NODES = { customers: 25, eventsEach: 120 };
const NODE_ROUNDS = 2;
const WARM_MS = 5_000;
const WINDOW_MS = 10_000;

const SECRET = "the secret of all servers of the bench";
const MAIN = join(import.meta.dir, "../../src/main.ts");
const TLS_FOLDER = join(import.meta.dir, "../support/tls");

const [mode, given = ""] = process.argv.slice(2);
if (mode === "receive") receive(Number(given));
else if (mode === "nodes") await compareNodes(Number(given || 2_000));
else if (mode === "loop") await loop(given, Number(process.argv[4]));
else await compare(Number(mode ?? 3), given === "--profile" ? process.argv[4] : undefined);

interface Received {
  requests: number;
  bytes: number;
  /** From the first request to the last. */
  seconds: number;
  /** Processor time of the receiver since its start. */
  processorMs: number;
}

/** Results of one round. */
interface Round {
  perSecond: number;
  /** Processor time per request, in milliseconds. */
  senderMs: number;
  receiverMs: number;
}

/**
 * Answers 200 to every POST after some time and counts them; `GET /` returns the counts, `GET /reset` also resets
 * them.
 */
function receive(delayMs: number): void {
  let [requests, bytes, firstAtMs, lastAtMs] = [0, 0, 0, 0];
  const pem = readFileSync(join(TLS_FOLDER, "receiver.pem"), "utf8");
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { key: pem, cert: pem },
    async fetch(request) {
      if (request.method === "GET") {
        const seconds = (lastAtMs - firstAtMs) / 1000;
        const { user, system } = process.cpuUsage();
        const processorMs = (user + system) / 1000;
        const counts = Response.json({ requests, bytes, seconds, processorMs } satisfies Received);
        if (new URL(request.url).pathname === "/reset") requests = bytes = 0;
        return counts;
      }
      bytes += (await request.arrayBuffer()).byteLength;
      lastAtMs = performance.now();
      if (requests === 0) firstAtMs = lastAtMs;
      requests += 1;
      if (delayMs > 0) await elapsed(delayMs);
      return new Response();
    },
  });
  console.log(server.port);
}

/** Sends the bodies of the file's deliveries as the appliance would, and does nothing else. */
async function loop(databasePath: string, port: number): Promise<void> {
  const db = new BetterSqlite3(databasePath, { readonly: true });
  const rows = db
    .prepare(
      `SELECT d.id, d.webhook_id AS webhook, b.body FROM webhook_deliveries d
         JOIN webhook_bodies b ON b.delivery_id = d.id ORDER BY d.id`,
    )
    .all() as { id: number; webhook: number; body: string }[];
  db.close();
  const secret = `whsec_${"a".repeat(43)}`;
  const requests = rows.map(({ id, webhook, body: text }) => {
    const body = new TextEncoder().encode(text);
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "user-agent": "Kanalog-Webhooks/1",
      "x-service-event": "post.created",
      "x-service-delivery": String(id),
      "x-service-signature": signatureHeader(body, [secret], Date.now()),
    };
    return { path: `/hook/${webhook}`, headers, body };
  });
  const network = systemNetwork({ ca: readFileSync(join(TLS_FOLDER, "ca.pem"), "utf8") });
  const to = {
    ...{ address: "127.0.0.1", port, host: "127.0.0.1", authority: `127.0.0.1:${port}` },
    timeoutMs: 10_000,
  };
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      const result = await network.post({ ...to, ...request });
      if (!("status" in result) || result.status !== 200) throw new Error(JSON.stringify(result));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** A receiver in a process of its own. */
async function startReceiving(delayMs = 0) {
  const words = [process.execPath, import.meta.path, "receive", String(delayMs)];
  const receiver = Bun.spawn(words, { stdout: "pipe" });
  const { value } = await receiver.stdout.getReader().read();
  return { receiver, port: Number(new TextDecoder().decode(value)) };
}

async function compare(rounds: number, profileFolder: string | undefined): Promise<void> {
  const { receiver, port } = await startReceiving();
  const machine = createMachine();
  try {
    await fill(machine, port);
    const appliance: Round[] = [];
    const bare: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      bare.push(await measured(port, () => runLoop(machine, port)));
      appliance.push(await measured(port, () => runAppliance(machine, port, profileFolder)));
    }
    console.log(`${DELIVERIES} deliveries a round, ${CONCURRENCY} at once, ${WEBHOOKS} webhooks`);
    describe("appliance", appliance);
    describe("bare loop", bare);
    // Ratios of each round, because other work on the machine differs from round to round.
    const ratios = rates(appliance).map((rate, round) => rate / (rates(bare)[round] ?? 0));
    const text = ratios.map((ratio) => ratio.toFixed(2)).join(", ");
    console.log(`appliance / bare loop: ${text}, median ${median(ratios).toFixed(2)}`);
  } finally {
    await machine.leave();
    receiver.kill();
    await receiver.exited;
  }
}

async function compareNodes(delayMs: number): Promise<void> {
  const { receiver, port } = await startReceiving(delayMs);
  const machine = createMachine();
  const postgres = await startPostgres({ isFlushed: true });
  const optionsOf = (name: string) =>
    pushing({
      ...{ KANALOG_CLUSTER: postgres.url, KANALOG_NODE: name },
      ...{ KANALOG_SECRET: SECRET, KANALOG_DB: machine.path(`${name}.db`) },
      KANALOG_WEBHOOK_BATCH_SECONDS: "3600",
    });
  const run = async (words: string[], name: string): Promise<void> => {
    const { exitCode, notes } = await machine.runProgram(words, optionsOf(name));
    if (exitCode !== 0) throw new Error(notes);
  };
  try {
    await fill(machine, port, OVER_NODES);
    renameSync(machine.database, machine.path("a.db"));
    await run(["cluster", "init", "--from", machine.path("a.db")], "a");
    await run(["cluster", "join"], "b");
    for (let round = 0; round < NODE_ROUNDS; round++) {
      for (const names of [["a"], ["a", "b"]]) {
        const nodes = await Promise.all(
          names.map((name) => machine.serve(["serve"], optionsOf(name))),
        );
        await elapsed(WARM_MS);
        const { requests: before } = await readCounts(port, "/");
        await elapsed(WINDOW_MS);
        const { requests } = await readCounts(port, "/");
        for (const node of nodes) await node.stop();
        if (requests >= OVER_NODES.customers * WEBHOOKS_EACH * OVER_NODES.eventsEach) {
          throw new Error("all deliveries were made before the end: give more milliseconds");
        }
        const perSecond = Math.round(((requests - before) * 1000) / WINDOW_MS);
        console.log(`${names.length} nodes, ${delayMs} ms: ${perSecond} deliveries a second`);
      }
    }
  } finally {
    await machine.leave();
    await postgres.stop();
    receiver.kill();
  }
}

/** Creates events of a few posts for every webhook, all waiting for their first attempt. */
async function fill(
  machine: Machine,
  port: number,
  { customers: count, eventsEach } = { customers: CUSTOMERS, eventsEach: EVENTS_EACH },
): Promise<void> {
  const customers = await withCustomers(machine, { customers: count, channels: 1 });
  const serving = await machine.serve(["serve"], pushing({ KANALOG_SECRET: SECRET }));
  for (const customer of customers) {
    for (let at = 0; at < WEBHOOKS_EACH; at++) {
      const path = `/hook/${customer.organization}-${at}`;
      await createWebhook(serving, customer, { host: "127.0.0.1", port }, path, [1]);
    }
  }
  await serving.stop();
  const config = readConfig({ KANALOG_DB: machine.database, KANALOG_LOG_LEVEL: "silent" });
  const { db, clock } = await openDomains(config, systemPorts(config));
  for (let event = 0; event < eventsEach; event++) {
    const rows = posts(event * POSTS_PER_EVENT + 1, POSTS_PER_EVENT);
    await importFile(db, clock, "posts", machine.path(writePosts(machine, rows)));
    let { part } = await startDueWork(db, clock, { batchMs: 0 });
    while (part !== null) {
      let { wanted } = part;
      while (wanted.length > 0)
        wanted = wanted.slice(await cutPart(db, clock, { ...part, wanted }));
      part = await endPart(db, clock, part);
    }
  }
  db.close();
  const [row] = machine.query<{ waiting: number }>(
    "SELECT count(*) AS waiting FROM webhook_deliveries WHERE state = 'pending'",
  );
  if (row?.waiting !== count * WEBHOOKS_EACH * eventsEach)
    throw new Error(`${row?.waiting} deliveries wait`);
}

/** @returns processor time in milliseconds */
async function runLoop(machine: Machine, port: number): Promise<number> {
  const words = [process.execPath, import.meta.path, "loop", machine.database, String(port)];
  const child = Bun.spawn(words, { stdout: "inherit", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error("the loop failed");
  return processorMsOf(child);
}

/** @returns processor time in milliseconds */
async function runAppliance(
  machine: Machine,
  port: number,
  profileFolder: string | undefined,
): Promise<number> {
  const db = machine.open();
  db.exec(`
    DELETE FROM webhook_attempts;
    UPDATE webhook_deliveries SET state = 'pending', failures = 0,
      next_attempt_at = created_at, claim = NULL, claimed_until = NULL;
    UPDATE webhook_look SET looked_at = unixepoch('subsec') * 1000, batched_at = looked_at;`);
  db.close();
  const more = { KANALOG_SECRET: SECRET, KANALOG_WEBHOOK_BATCH_SECONDS: "3600" };
  const { environment } = pushing(more);
  const profiling =
    profileFolder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
  const child = Bun.spawn([process.execPath, ...profiling, MAIN, "serve"], {
    env: {
      ...process.env,
      ...environment,
      ...{ KANALOG_DB: machine.database, KANALOG_PORT: "0", KANALOG_LOG_LEVEL: "silent" },
    },
    stdout: "ignore",
    stderr: "ignore",
  });
  try {
    while (child.exitCode === null && (await readCounts(port, "/")).requests < DELIVERIES) {
      await elapsed(100);
    }
  } finally {
    child.kill("SIGTERM");
  }
  if ((await child.exited) !== 0) throw new Error("the appliance failed");
  const [row] = machine.query<{ delivered: number }>(
    "SELECT count(*) AS delivered FROM webhook_deliveries WHERE state = 'delivered'",
  );
  if (row?.delivered !== DELIVERIES) throw new Error(`${row?.delivered} were delivered`);
  return processorMsOf(child);
}

function processorMsOf(child: Bun.Subprocess): number {
  return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
}

async function measured(port: number, run: () => Promise<number>): Promise<Round> {
  const before = await readCounts(port, "/reset");
  const senderMs = await run();
  const { requests, bytes, seconds, processorMs } = await readCounts(port, "/");
  if (requests !== DELIVERIES) throw new Error(`${requests} requests came`);
  if (bytes === 0) throw new Error("the requests were empty");
  return {
    perSecond: Math.round(requests / seconds),
    senderMs: senderMs / requests,
    receiverMs: (processorMs - before.processorMs) / requests,
  };
}

function describe(name: string, rounds: readonly Round[]): void {
  const sender = median(rounds.map(({ senderMs }) => senderMs)).toFixed(2);
  const receiver = median(rounds.map(({ receiverMs }) => receiverMs)).toFixed(2);
  console.log(
    `${name}: ${rates(rounds).join(", ")} a second, median ${median(rates(rounds))}; ` +
      `processor time of each: ${sender} ms, and the receiver's ${receiver} ms`,
  );
}

function rates(rounds: readonly Round[]): number[] {
  return rounds.map(({ perSecond }) => perSecond);
}

async function readCounts(port: number, path: string): Promise<Received> {
  const ca = readFileSync(join(TLS_FOLDER, "ca.pem"), "utf8");
  const answer = await fetch(`https://127.0.0.1:${port}${path}`, { tls: { ca } });
  return (await answer.json()) as Received;
}
