import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverAnswer,
  startReceiver,
} from "../support/https-receiver.ts";
import { createMachine, faultsOf, type Machine } from "../support/machine.ts";
import {
  createWebhook,
  elapsed,
  isSignedWith,
  posts,
  pushing,
  readEvent,
  seededRandom,
  unfinished,
  withCustomers,
  writePosts,
} from "../support/webhook-journey.ts";

/** Kills of the serving process; 50 and more for the full campaign. */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? 8);
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Date.now() % 1_000_000);
const WEBHOOKS = 5;
/** A life of the process, its start included. */
const LIFE_MAX_MS = 3_000;
/** Every second life ends right as a request came in: any number of them below this. */
const REQUESTS_MAX = 30;
const AFTER_REQUEST_MAX_MS = 10;
/** More than fit in one event. */
const IMPORT_POSTS_MAX = 150;
/** Stuck is what makes no attempt for so long: a lease of 30 seconds, or one that hangs, is less. */
const STILL_MAX_MS = 45_000;

const FAILURES: readonly ReceiverAnswer[] = [
  ...[{ status: 500 }, { status: 500 }, { status: 503 }, { status: 404 }],
  ...(["close", "close", "half", "garbage", "redirect"] as const),
];

let machine: Machine;
let receiver: Receiver | null = null;
beforeEach(() => {
  machine = createMachine();
});
afterEach(async () => {
  await machine.leave();
  await receiver?.close();
});

test(
  "over kills at random moments every post arrives, in the same delivery each time",
  async () => {
    console.info(`${KILLS} kills (KANALOG_TEST_KILLS), seed ${SEED} (KANALOG_TEST_SEED)`);
    const startedAtMs = performance.now();
    const [chance, moment] = [seededRandom(SEED), seededRandom(SEED + 1)];
    const received: { request: ReceivedRequest; isTaken: boolean }[] = [];
    let onRequest = () => {};
    const made = await startReceiver((request) => {
      const failure = failureOf(chance);
      received.push({ request, isTaken: failure === undefined });
      onRequest();
      return failure ?? { status: 200 };
    });
    receiver = made;
    const [customer] = await withCustomers(machine, { customers: 1, channels: 1 });
    const secrets = new Map<number, string>();
    const first = await machine.serve(["serve"], pushing());
    for (let at = 0; at < WEBHOOKS; at++) {
      const webhook = await createWebhook(first, customer, made, `/hook/${at}`, [1]);
      secrets.set(webhook.id, webhook.secret);
    }
    await first.stop();

    let isCrashing = true;
    const importing = importOnAndOn(seededRandom(SEED + 2), () => isCrashing);
    for (let kill = 1; kill <= KILLS; kill++) {
      const life = machine.spawn(["serve"], pushing());
      if (kill % 2 === 0) {
        const endsAt = received.length + Math.ceil(moment() * REQUESTS_MAX);
        const came = new Promise<void>((resolve) => {
          onRequest = () => {
            if (received.length >= endsAt) resolve();
          };
        });
        await Promise.race([came, elapsed(2 * LIFE_MAX_MS)]);
      }
      await elapsed(moment() * (kill % 2 === 0 ? AFTER_REQUEST_MAX_MS : LIFE_MAX_MS));
      life.kill("SIGKILL");
      await life.exited;
      expect(life.signalCode).toBe("SIGKILL");
    }
    isCrashing = false;
    const { imported, killedImports } = await importing;
    const last = await machine.serve(["serve"], pushing());
    const drainedFromMs = performance.now();
    let [seen, lastSeenAtMs] = [received.length, performance.now()];
    while (!isFinished(machine)) {
      if (received.length > seen) [seen, lastSeenAtMs] = [received.length, performance.now()];
      if (performance.now() - lastSeenAtMs > STILL_MAX_MS) {
        throw new Error(`stuck: ${JSON.stringify(waiting(machine))}`);
      }
      await elapsed(20);
    }
    const drainMs = performance.now() - drainedFromMs;
    expect(await last.stop()).toBe(0);

    expect(unfinished(machine)).toEqual({ read: 0, pending: 0, claimed: 0, lost: 0 });
    expect(faultsOf(machine.database)).toEqual([]);
    const bodies = new Map<number, string>();
    const deliveryOf = new Map<string, number>();
    const takenPosts = new Set<string>();
    const takenDeliveries = new Set<number>();
    let takenAgain = 0;
    for (const { request, isTaken } of received) {
      const { event, webhook, delivery, posts: sent } = readEvent(request);
      expect(event).toBe("post.created");
      expect(isSignedWith(request, secrets.get(webhook) ?? "")).toBe(true);
      const body = Bun.SHA256.hash(request.body, "hex");
      expect(bodies.get(delivery) ?? body).toBe(body);
      bodies.set(delivery, body);
      for (const post of sent) {
        const key = `post ${post} of webhook ${webhook}`;
        expect([key, deliveryOf.get(key) ?? delivery]).toEqual([key, delivery]);
        deliveryOf.set(key, delivery);
        if (isTaken) takenPosts.add(key);
      }
      if (isTaken && takenDeliveries.has(delivery)) takenAgain += 1;
      if (isTaken) takenDeliveries.add(delivery);
    }
    expect(takenPosts.size).toBe(imported * WEBHOOKS);
    expect(deliveryOf.size).toBe(imported * WEBHOOKS);

    const attempts = machine.query("SELECT id FROM webhook_attempts").length;
    console.info(
      `${imported} posts to ${WEBHOOKS} webhooks in ${bodies.size} deliveries; ${KILLS} kills, and ` +
        `${killedImports} of imports; ${received.length} attempts received, ${attempts} noted; ` +
        `${received.length - bodies.size} duplicates, ${takenAgain} of them after a 200; ` +
        `${((performance.now() - startedAtMs) / 1000).toFixed(0)} seconds, the last ` +
        `${(drainMs / 1000).toFixed(0)} of them after the last kill`,
    );
  },
  300_000 + 10_000 * KILLS,
);

/** Half of the attempts fail, each fortieth by hanging: that takes 10 seconds of a place. */
function failureOf(chance: () => number): ReceiverAnswer | undefined {
  if (chance() < 1 / 40) return "hang";
  return chance() < 0.5 ? FAILURES[Math.floor(chance() * FAILURES.length)] : undefined;
}

/** Imports posts by one process after the other, of which some are killed and run again. */
async function importOnAndOn(
  random: () => number,
  goesOn: () => boolean,
): Promise<{ imported: number; killedImports: number }> {
  let imported = 0;
  let killedImports = 0;
  while (goesOn()) {
    const rows = posts(imported + 1, 1 + Math.floor(random() * IMPORT_POSTS_MAX));
    const words = ["import", "posts", writePosts(machine, rows)];
    if (random() < 0.3) {
      const child = machine.spawn(words);
      await elapsed(random() * 400);
      child.kill("SIGKILL");
      await child.exited;
      killedImports += 1;
    }
    const { exitCode, notes } = await machine.run(words);
    expect(exitCode, notes).toBe(0);
    imported += rows.length;
    await elapsed(random() * 300);
  }
  return { imported, killedImports };
}

function isFinished(on: Machine): boolean {
  const { read, pending, claimed } = unfinished(on);
  return read + pending + claimed === 0;
}

/** What has not come to its end, for the message of a test that fails. */
function waiting(on: Machine): unknown {
  const rows = on.query(
    `SELECT webhook_id AS webhook, state, count(*) AS deliveries, sum(claim IS NOT NULL) AS claimed,
       max(failures) AS failures, min(next_attempt_at) - @nowMs AS dueInMs,
       min(claimed_until) - @nowMs AS claimedForMs
     FROM webhook_deliveries WHERE state = 'pending' OR claim IS NOT NULL GROUP BY 1, 2`,
    { nowMs: Date.now() },
  );
  return { ...unfinished(on), rows };
}
