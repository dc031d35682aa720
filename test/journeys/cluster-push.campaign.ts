import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Receiver, startReceiver } from "../support/https-receiver.ts";
import { createMachine, type Machine, type RunOptions, type Serving } from "../support/machine.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { HANGS_AFTER_MS, until } from "../support/until.ts";
import {
  createWebhook,
  elapsed,
  isSignedWith,
  posts,
  pushing,
  readEvent,
  seededRandom,
  withCustomers,
  writePosts,
} from "../support/webhook-journey.ts";

/** Both nodes of a cluster push, and one of them is killed again and again. */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? 1);
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Date.now() % 1_000_000);
const SECRET = "the secret of both nodes of the campaign";
const NODES = ["a", "b"] as const;
type Name = (typeof NODES)[number];
const CUSTOMERS = 4;
/** Of each customer. */
const WEBHOOKS = 2;
const POSTS = 5;
const LIFE_MAX_MS = 2_000;
/** An attempt that is not answered ends after 10 s; the claim of a killed node is kept for longer. */
const ATTEMPT_MS = 10_000;
const CLOCKS_DIFFER_MS = 500;

let machine: Machine;
let postgres: PostgresServer;
let receiver: Receiver;
beforeEach(async () => {
  if (!hasPostgres) return;
  machine = createMachine();
  postgres = await startPostgres({ isFlushed: false });
});
afterEach(async () => {
  await machine?.leave();
  await receiver?.close();
  await postgres?.stop();
});

const node = (name: Name): RunOptions =>
  pushing({
    ...{ KANALOG_CLUSTER: postgres.url, KANALOG_NODE: name, KANALOG_SECRET: SECRET },
    KANALOG_DB: name === "a" ? machine.database : machine.path("b.db"),
  });

async function ok(words: string[], name: Name): Promise<void> {
  const { exitCode, notes } = await machine.runProgram(words, node(name));
  expect(exitCode, `${words.join(" ")}: ${notes}`).toBe(0);
}

test.skipIf(!hasPostgres)(
  "each post reaches each webhook, and no attempt is begun while another node makes it",
  async () => {
    console.info(`KANALOG_TEST_SEED=${SEED}, ${KILLS} kills`);
    const [chance, moment] = [seededRandom(SEED), seededRandom(SEED + 1)];
    const customers = await withCustomers(machine, { customers: CUSTOMERS, channels: 10 });
    let isFaulty = true;
    const taken = new Map<string, number>();
    const hangsSince = new Map<number, number>();
    const early: string[] = [];
    const secrets = new Map<number, string>();
    receiver = await startReceiver((request) => {
      const { webhook, delivery, posts: sent } = readEvent(request);
      expect(isSignedWith(request, secrets.get(webhook) ?? "")).toBe(true);
      const hungForMs = performance.now() - (hangsSince.get(delivery) ?? -ATTEMPT_MS);
      if (hungForMs < ATTEMPT_MS - CLOCKS_DIFFER_MS) early.push(`${delivery}: ${hungForMs} ms`);
      hangsSince.delete(delivery);
      if (isFaulty && chance() < 1 / 20) {
        hangsSince.set(delivery, performance.now());
        return "hang";
      }
      if (isFaulty && chance() < 1 / 4) return { status: 503 };
      for (const post of sent) {
        const key = `${webhook} ${post}`;
        taken.set(key, (taken.get(key) ?? 0) + 1);
      }
      return { status: 200 };
    });

    await ok(["cluster", "init", "--from", machine.database], "a");
    await ok(["cluster", "join"], "b");
    const serving = new Map<Name, Serving>();
    const serve = async (name: Name): Promise<void> => {
      serving.set(name, await machine.serve(["serve"], node(name)));
    };
    for (const name of NODES) await serve(name);
    for (const customer of customers) {
      for (let at = 0; at < WEBHOOKS; at++) {
        const on = serving.get(NODES[at % 2] as Name) as Serving;
        const { id, secret } = await createWebhook(on, customer, receiver, `/hook/${at}`, [1]);
        secrets.set(id, secret);
      }
    }

    let published = 0;
    const publish = async (name: Name): Promise<void> => {
      const file = writePosts(machine, posts(published + 1, POSTS));
      await ok(["import", "posts", file], name);
      published += POSTS;
    };
    for (let kill = 0; kill < KILLS; kill++) {
      const name = NODES[Math.floor(moment() * 2)] as Name;
      const sent = receiver.requests.length;
      await publish(name);
      await until(() => receiver.requests.length > sent, "a delivery");
      await elapsed(moment() * LIFE_MAX_MS);
      process.kill((serving.get(name) as Serving).pid, "SIGKILL");
      await serve(name);
    }
    await publish("b");
    isFaulty = false;
    const wanted = () => published * secrets.size;
    let [seen, seenAtMs] = [0, performance.now()];
    while (taken.size < wanted()) {
      if (taken.size > seen) [seen, seenAtMs] = [taken.size, performance.now()];
      if (performance.now() - seenAtMs > HANGS_AFTER_MS)
        throw new Error(`${taken.size} of ${wanted()} posts arrived`);
      await elapsed(50);
    }
    for (const one of serving.values()) expect(await one.stop()).toBe(0);
    const again = [...taken.values()].filter((times) => times > 1).length;
    console.info(
      `${published} posts to ${secrets.size} webhooks: ${receiver.requests.length} attempts, ${again} taken again after a kill`,
    );
    expect(early).toEqual([]);
    // A killed node has made at most four attempts at a time for each webhook.
    expect(again).toBeLessThanOrEqual(KILLS * 4 * secrets.size * POSTS);
  },
  300_000 + KILLS * 30_000,
);
