import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { type ClusterCampaign, startClusterCampaign } from "../support/cluster-campaign.ts";
import {
  type CampaignNode,
  callOnce,
  makeKey,
  newCalls,
  revokeKey,
} from "../support/cluster-load.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import {
  connectToMember,
  missingForPatroni,
  type Patroni,
  startPatroni,
} from "../support/patroni.ts";
import { elapsed } from "../support/webhook-journey.ts";

/**
 * Two nodes under load over PostgreSQL on three servers under Patroni with synchronous replication: whatever
 * is killed, nothing that was answered is lost. Run by `bun run campaign cluster`.
 */
const IS_CAMPAIGN = process.env["KANALOG_TEST_PATRONI"] === "1";
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Date.now() % 1_000_000);

const REVOKED = 40;

const missing = IS_CAMPAIGN ? missingForPatroni() : "";
if (missing !== null && missing !== "") {
  console.warn(`The campaign under Patroni is skipped: ${missing} is not here.`);
}
const underPatroni = test.skipIf(missing !== null);

let patroni: Patroni;
let machine: Machine;
let campaign: ClusterCampaign;
let database: string;
beforeAll(async () => {
  if (missing === null) patroni = await startPatroni();
}, 120_000);
afterAll(async () => patroni?.stop());

beforeEach(async () => {
  if (missing !== null) return;
  machine = createMachine();
  const url = await patroni.newDatabase();
  database = new URL(url.replace(/,[^/]*/, "")).pathname.slice(1);
  campaign = await startClusterCampaign({ machine, url, seed: SEED });
}, 120_000);
afterEach(async () => {
  await campaign?.close();
  await machine?.leave();
}, 60_000);

/** Waits for answers of both nodes, and prints how long that took since `beganMs`. */
async function printRecovery(of: string, beganMs: number): Promise<void> {
  await campaign.answersAgain();
  const seconds = campaign.nodes.map(
    ({ name, answeredAtMs }) => `${name} ${((answeredAtMs - beganMs) / 1_000).toFixed(1)} s`,
  );
  console.info(
    `${of}: answers again after ${seconds.join(", ")}; ${campaign.calls.unavailable} were 503`,
  );
}

underPatroni("the doctor finds nothing wrong on what `kanalog cluster files` wrote", async () => {
  const [a] = campaign.nodes;
  const { out } = await machine.runProgram(["cluster", "doctor", "--json"], a.options);
  const { results } = JSON.parse(out) as { results: { check: string; state: string }[] };
  console.table(results);
  expect(results.filter(({ state }) => state === "wrong")).toEqual([]);
  for (const check of ["synchronous_mode", "failsafe_mode", "standby", "clock", "upkeep"]) {
    expect(results).toContainEqual(expect.objectContaining({ check, state: "ok" }));
  }
  await campaign.expectNothingLost();
});

underPatroni("a killed node loses nothing, and the other one continues", async () => {
  for (const node of campaign.nodes) {
    const other = campaign.nodes.find((one) => one !== node);
    const beganMs = performance.now();
    process.kill(node.serving?.pid as number, "SIGKILL");
    node.serving = null;
    await elapsed(1_000);
    expect(other?.answeredAtMs).toBeGreaterThan(beganMs);
    await campaign.start(node);
    await printRecovery(`node ${node.name} killed`, beganMs);
  }
  await campaign.expectNothingLost();
});

underPatroni(
  "a primary killed together with its Patroni loses nothing, and the standby takes over",
  async () => {
    const { primary, standby } = await patroni.whole();
    const beganMs = performance.now();
    primary.kill();
    await patroni.promoted(standby);
    console.info(`another primary after ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
    await printRecovery("primary killed", beganMs);
    primary.start();
    await campaign.expectNothingLost();
    await patroni.whole();
  },
);

underPatroni("killing all PostgreSQL servers at once loses nothing", async () => {
  const beganMs = performance.now();
  for (const member of patroni.members) member.kill();
  await elapsed(5_000);
  for (const member of patroni.members) member.start();
  await printRecovery("all of PostgreSQL killed, started after 5 s", beganMs);
  await campaign.expectNothingLost();
  await patroni.whole();
});

underPatroni(
  "a primary whose Patroni is stopped acknowledges nothing after another became primary",
  async () => {
    const { primary, standby } = await patroni.whole();
    const beganMs = performance.now();
    primary.patroni.kill("SIGSTOP");
    await patroni.promoted(standby);
    const promotedMs = performance.now();
    console.info(`another primary after ${((promotedMs - beganMs) / 1_000).toFixed(1)} s`);

    const former = await connectToMember(primary, database);
    const units = "SELECT coalesce(sum(units), 0)::int AS units FROM kanalog.usage_days";
    const counted = (await former.query(units)).rows;
    const acknowledged = former
      .query("UPDATE kanalog.nodes SET program = program")
      .then(() => "acknowledged")
      .catch(() => "refused");
    // The nodes work while the former primary still reports that it accepts writes.
    await printRecovery("Patroni of the primary stopped", beganMs);
    const still = elapsed(Math.max(0, 10_000 - (performance.now() - promotedMs))).then(
      () => "waits",
    );
    expect(await Promise.race([acknowledged, still])).toBe("waits");
    const reader = await connectToMember(primary, database);
    expect((await reader.query(units)).rows).toEqual(counted);
    await reader.end();

    primary.patroni.kill("SIGCONT");
    expect(await acknowledged).toBe("refused");
    await former.end();
    await campaign.expectNothingLost();
    await patroni.whole();
  },
);

underPatroni(
  "a key revoked during a failover is refused by all nodes once its revocation was acknowledged",
  async () => {
    const { primary, standby } = await patroni.whole();
    const keys: { id: number; token: string }[] = [];
    while (keys.length < REVOKED) {
      const key = await makeKey(campaign, campaign.nodes[keys.length % 2] as CampaignNode);
      if (key !== null) keys.push(key);
    }
    let served = 0;
    const beganMs = performance.now();
    primary.kill();
    const revoking = Array.from({ length: 4 }, async () => {
      for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
        const calls = newCalls();
        for (const node of campaign.nodes) await callOnce(campaign, node, key.token, calls);
        await revokeKey(campaign, key.id);
        campaign.revoked.push({ ...key, sentBefore: calls.sent });
        for (const node of campaign.nodes) {
          if ((await callOnce(campaign, node, key.token, newCalls())) === 200) served += 1;
        }
      }
    });
    await patroni.promoted(standby);
    await Promise.all(revoking);
    await printRecovery(`primary killed while ${REVOKED} keys are revoked`, beganMs);
    expect(served).toBe(0);
    primary.start();
    await campaign.expectNothingLost();
    await patroni.whole();
  },
);
