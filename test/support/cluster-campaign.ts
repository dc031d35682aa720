import { expect } from "bun:test";
import { connectToPrimary } from "../../src/cluster/connection.ts";
import { openExisting } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { contentOf, faultsOf } from "./cluster.ts";
import {
  CAMPAIGN_CHANNELS,
  type Calls,
  type Campaign,
  type CampaignNode,
  callNodesOnAndOn,
  callOnce,
  campaignTitle,
  importToNodesOnAndOn,
  type RevokedKey,
  revokeKeysOnAndOn,
} from "./cluster-load.ts";
import { startReceiver } from "./https-receiver.ts";
import type { Machine, Serving } from "./machine.ts";
import { until } from "./until.ts";
import {
  createWebhook,
  expectPing,
  pushing,
  readEvent,
  seededRandom,
  withCustomers,
} from "./webhook-journey.ts";

const SECRET = "the secret of both nodes of a campaign";
const QUOTA = 600;
const CLIENTS = 4;

export interface ClusterCampaign extends Campaign {
  /** Key that `calls` are billed to. */
  key: string;
  calls: Calls;
  /** Keys whose revocation was acknowledged; requests with them go on, also with keys that a test adds. */
  revoked: RevokedKey[];
  /** Waits for an answer from each node. @returns how long each took, in milliseconds */
  answersAgain(): Promise<number[]>;
  start(node: CampaignNode): Promise<void>;
  /** Ends all loads, and expects the database to have all that was acknowledged and no more than was sent. */
  expectNothingLost(): Promise<void>;
  close(): Promise<void>;
}

export interface CampaignOptions {
  machine: Machine;
  /** Address of PostgreSQL. */
  url: string;
  seed: number;
  /** Additional settings of a node, and the program that runs its processes. */
  settingsOf?: (name: string) => { environment?: Record<string, string>; program?: string[] };
}

/** Starts two nodes in separate processes, under load until `expectNothingLost`. */
export async function startClusterCampaign({
  machine,
  url,
  seed,
  settingsOf = () => ({}),
}: CampaignOptions): Promise<ClusterCampaign> {
  const [main] = await withCustomers(machine, { customers: 1, channels: CAMPAIGN_CHANNELS });
  const limited = await machine.customer("start");
  await machine.json(["plan", "set", "start", "--quota", String(QUOTA)]);
  const receiver = await startReceiver();
  const nodeOf = (name: string, file: string): CampaignNode => {
    const { environment, program } = settingsOf(name);
    const own = { KANALOG_CLUSTER: url, KANALOG_NODE: name, KANALOG_SECRET: SECRET };
    const database = environment?.["KANALOG_DB"] ?? file;
    const options = {
      ...pushing({ ...own, KANALOG_LOG_LEVEL: "warn", KANALOG_DB: database, ...environment }),
      ...(program !== undefined && { program }),
    };
    return { name, database, options, serving: null, answeredAtMs: 0 };
  };
  const nodes = [nodeOf("a", machine.database), nodeOf("b", machine.path("b.db"))] as const;
  const [first, second] = nodes;
  const run = async (words: string[], { options }: CampaignNode): Promise<string> => {
    const { exitCode, out, notes } = await machine.runProgram(words, options);
    expect(exitCode, `${words.join(" ")}: ${notes}`).toBe(0);
    return out;
  };
  await run(["cluster", "init", "--from", machine.database], first);
  await run(["cluster", "join"], second);
  const start = async (node: CampaignNode): Promise<void> => {
    node.serving = await machine.serve(["serve"], node.options);
  };
  for (const node of nodes) await start(node);
  const webhook = await createWebhook(first.serving as Serving, main, receiver, "/hook", [1]);
  await expectPing(first.serving as Serving, main, webhook);

  // The webhook's ping was counted too.
  const before = await usageOf(url, main.organization);
  const campaign: Campaign = { machine, nodes, goesOn: true, faults: [], refusals: new Set() };
  const load = { clients: CLIENTS, pauseMs: 5 };
  const { calls, ended: called } = callNodesOnAndOn(campaign, main.key, load);
  const few = { clients: 2, pauseMs: 40 };
  const { calls: limitedCalls, ended: limitedCalled } = callNodesOnAndOn(
    campaign,
    limited.key,
    few,
  );
  const { imports, ended: imported } = importToNodesOnAndOn(campaign, seededRandom(seed));
  const { revoked, ended: revoking } = revokeKeysOnAndOn(campaign);
  const loads = Promise.all([called, limitedCalled, imported, revoking]);
  loads.catch((error) => campaign.faults.push(String(error)));

  const answersAgain = async (): Promise<number[]> => {
    const beganMs = performance.now();
    await until(
      () => campaign.faults.length > 0 || nodes.every((node) => node.answeredAtMs > beganMs),
      "answers",
    );
    return nodes.map(({ answeredAtMs }) => Math.round(answeredAtMs - beganMs));
  };
  await answersAgain();

  async function expectUsage(): Promise<void> {
    const ids = revoked.map(({ id }) => id);
    const byOthers = ids.length === 0 ? "" : `AND key_id NOT IN (${ids})`;
    const stored = (await usageOf(url, main.organization, byOthers)).answers - before.answers;
    const all = await usageOf(url, main.organization);
    const ofLimited = await usageOf(url, limited.organization);
    console.info({ ...calls, stored, imports, revoked: ids.length, refusals: campaign.refusals });
    console.info("under a quota:", { ...limitedCalls, stored: ofLimited.answers, quota: QUOTA });
    expect(stored).toBeGreaterThanOrEqual(calls.answered);
    expect(stored).toBeLessThanOrEqual(calls.sent);
    expect(all.used).toBe(all.units);
    expect(ofLimited).toEqual({ answers: QUOTA, units: QUOTA, used: QUOTA });
    expect(limitedCalls.answered).toBeLessThanOrEqual(QUOTA);
    expect(limitedCalls.sent - limitedCalls.used).toBeGreaterThanOrEqual(QUOTA);
    for (const { id, sentBefore } of revoked) {
      const { answers } = await usageOf(url, main.organization, `AND key_id = ${id}`);
      expect(answers, `key ${id}`).toBeLessThanOrEqual(sentBefore);
    }
  }

  return {
    ...campaign,
    get goesOn() {
      return campaign.goesOn;
    },
    ...{ key: main.key, calls, revoked, answersAgain, start },

    async expectNothingLost() {
      // Each load must have done something since the last kill.
      const [titles, keys] = [imports.titles, revoked.length];
      const worked = () => imports.titles > titles && revoked.length > keys;
      await until(() => campaign.faults.length > 0 || worked(), "imports and revocations");
      campaign.goesOn = false;
      await loads;
      while (limitedCalls.used < 2 * CLIENTS && campaign.faults.length === 0) {
        const asking = Array.from({ length: CLIENTS }, (_, at) =>
          callOnce(campaign, nodes[at % 2] as CampaignNode, limited.key, limitedCalls),
        );
        await Promise.all(asking);
      }
      await expectUsage();
      expect(campaign.faults).toEqual([]);

      const delivered = (): Set<number> =>
        new Set(receiver.requests.flatMap((request) => readEvent(request).posts));
      const lacking = () => imports.posts - [...delivered()].filter(isImported).length;
      const isImported = (id: number) => id <= imports.posts;
      await until(() => lacking() === 0, "deliveries");

      // Usage of the last requests takes a second or two to be copied.
      let copies = nodes.map(copyOf);
      const areSame = (): boolean => {
        copies = nodes.map(copyOf);
        return new Set(copies.map((copy) => JSON.stringify(copy))).size === 1;
      };
      await until(areSame, "equal copies").catch(() => {});
      expect(copies[1]).toEqual(copies[0] as [string, string[]][]);
      await run(["cluster", "status"], first);
      for (const { serving } of nodes) expect(await serving?.stop()).toBe(0);
      const databases = nodes.map(({ database }) => openExisting(database, systemClock));
      try {
        for (const db of databases) {
          expect(faultsOf(db)).toEqual([]);
          const titles = db.prepare<{ title: string }>(
            "SELECT title FROM channel_cards ORDER BY id",
          );
          expect(titles.all().map(({ title }) => title)).toEqual(
            Array.from({ length: CAMPAIGN_CHANNELS }, (_, at) =>
              campaignTitle(at + 1, imports.titles),
            ),
          );
          const posts = db.prepare<{ count: number }>("SELECT count(*) AS count FROM posts").get();
          expect(posts?.count).toBe(imports.posts);
        }
      } finally {
        for (const db of databases) db.close();
      }
      for (const node of nodes) await run(["check"], node);
    },

    async close() {
      campaign.goesOn = false;
      await receiver.close();
    },
  };
}

/** Usage that PostgreSQL has counted for an organization; `answers` does not include free ones. */
async function usageOf(
  url: string,
  organization: number,
  more = "",
): Promise<{ answers: number; units: number; used: number }> {
  const client = await connectToPrimary(url, "campaign");
  try {
    const { rows } = await client.query(`
      SELECT coalesce(sum(requests) FILTER (WHERE status = 200 AND units > 0), 0)::int AS answers,
        coalesce(sum(units), 0)::int AS units,
        (SELECT coalesce(sum(used), 0)::int FROM kanalog.usage_periods
         WHERE organization_id = ${organization}) AS used
      FROM kanalog.usage_days WHERE organization_id = ${organization} ${more}`);
    return rows[0];
  } finally {
    await client.end();
  }
}

function copyOf({ database }: CampaignNode): [table: string, rows: string[]][] {
  const db = openExisting(database, systemClock);
  try {
    return [...contentOf(db)];
  } finally {
    db.close();
  }
}
