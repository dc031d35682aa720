import type { Machine, RunOptions, Serving } from "./machine.ts";
import { elapsed, posts, writePosts } from "./webhook-journey.ts";

/** Load on two nodes while processes are killed. */

/** A node in a separate process. */
export interface CampaignNode {
  name: string;
  database: string;
  options: RunOptions;
  /** Null while it is not running. */
  serving: Serving | null;
  /** Time of its last answer to a billed request, on the monotonic clock. */
  answeredAtMs: number;
}

/** State that the loads share. */
export interface Campaign {
  machine: Machine;
  nodes: readonly [CampaignNode, CampaignNode];
  /** False once every load should end. */
  goesOn: boolean;
  /** Faults that no client may see: each makes the campaign fail. */
  faults: string[];
  /** Messages of commands that failed. */
  refusals: Set<string>;
}

export interface Calls {
  sent: number;
  /** Complete answers with status 200. */
  answered: number;
  /** Answers that usage could not be counted. */
  unavailable: number;
  /** Answers that the quota is used up. */
  used: number;
}

export const newCalls = (): Calls => ({ sent: 0, answered: 0, unavailable: 0, used: 0 });

const BILLED = [
  "/v1/msgr/channels/1/",
  "/v1/msgr/channels/?q=канал&limit=5",
  "/v1/msgr/channels/1/posts/?limit=5",
  "/v1/msgr/stats/daily/?channels=1",
];

/** Sends a node one billed request. @returns the status; null without a complete answer */
export async function callOnce(
  { faults }: Pick<Campaign, "faults">,
  node: CampaignNode,
  key: string,
  calls: Calls,
): Promise<number | null> {
  const { serving } = node;
  if (serving === null) return null;
  const path = BILLED[calls.sent % BILLED.length] as string;
  calls.sent += 1;
  const response = await serving.get(path, key).catch(() => null);
  const body = await response?.text().catch(() => null);
  if (response === null || !body) return null;
  const { status } = response;
  if (status === 200) {
    calls.answered += 1;
    node.answeredAtMs = performance.now();
  } else if (status === 429 && body.includes("quota")) {
    calls.used += 1;
  } else if (status === 503 && /"unavailable"/.test(body) && response.headers.has("retry-after")) {
    calls.unavailable += 1;
  } else if (status !== 401) {
    faults.push(`${node.name} answered ${status} to ${path}: ${body.slice(0, 300)}`);
  }
  return status;
}

/** Calls both nodes by turns until the campaign ends. @param clients number of concurrent clients */
export function callNodesOnAndOn(
  campaign: Campaign,
  key: string,
  { clients, pauseMs }: { clients: number; pauseMs: number },
): { calls: Calls; ended: Promise<unknown> } {
  const calls = newCalls();
  const client = async (number: number): Promise<void> => {
    for (let at = number; campaign.goesOn; at++) {
      const node = campaign.nodes[at % 2] as CampaignNode;
      const status = await callOnce(campaign, node, key, calls);
      if (status === 401) campaign.faults.push(`${node.name} refused a good key`);
      await elapsed(status === 200 ? pauseMs : PAUSE_AFTER_NONE_MS);
    }
  };
  return { calls, ended: Promise.all(Array.from({ length: clients }, (_, at) => client(at))) };
}

const PAUSE_AFTER_NONE_MS = 20;

export interface NodeImports {
  /** Posts from 1 to this number were imported by commands that succeeded. */
  posts: number;
  /** Last version of all titles that was imported completely. */
  titles: number;
  /** Number of commands that failed and were repeated. */
  failed: number;
}

export const CAMPAIGN_CHANNELS = 40;
const POSTS_MAX = 60;

/** Imports posts and new titles of all channels, on both nodes by turns. */
export function importToNodesOnAndOn(
  campaign: Campaign,
  random: () => number,
): { imports: NodeImports; ended: Promise<void> } {
  const { machine } = campaign;
  const imports: NodeImports = { posts: 0, titles: 0, failed: 0 };
  let turn = 0;
  const import_ = async (kind: string, file: string): Promise<void> => {
    for (;;) {
      turn += 1;
      const { options } = campaign.nodes[turn % 2] as CampaignNode;
      const { exitCode, notes } = await machine.runProgram(["import", kind, file], options);
      if (exitCode === 0) return;
      campaign.refusals.add(notes);
      imports.failed += 1;
      await elapsed(PAUSE_AFTER_FAILURE_MS);
    }
  };
  const ended = (async () => {
    while (campaign.goesOn) {
      const rows = posts(imports.posts + 1, 1 + Math.floor(random() * POSTS_MAX));
      await import_("posts", machine.path(writePosts(machine, rows)));
      imports.posts += rows.length;
      await import_("channels", writeTitles(machine, imports.titles + 1));
      imports.titles += 1;
    }
  })();
  return { imports, ended };
}

const PAUSE_AFTER_FAILURE_MS = 200;

export const campaignTitle = (id: number, version: number): string => `Канал ${id} в ${version}`;

function writeTitles(machine: Machine, version: number): string {
  const ids = Array.from({ length: CAMPAIGN_CHANNELS }, (_, at) => at + 1);
  const rows = ids.map((id) => `${id},${campaignTitle(id, version)}`);
  return machine.write("titles.csv", `id,title\n${rows.join("\n")}\n`);
}

export interface RevokedKey {
  id: number;
  token: string;
  /** Number of requests sent with it before its revocation was acknowledged. */
  sentBefore: number;
}

/** Creates keys, uses them, revokes them on either node, and continues to send requests with them. */
export function revokeKeysOnAndOn(campaign: Campaign): {
  revoked: RevokedKey[];
  ended: Promise<unknown>;
} {
  const revoked: RevokedKey[] = [];
  const revoking = (async () => {
    for (let turn = 0; campaign.goesOn; turn++) {
      const node = campaign.nodes[turn % 2] as CampaignNode;
      const key = await makeKey(campaign, node);
      if (key === null) {
        await elapsed(PAUSE_AFTER_FAILURE_MS);
        continue;
      }
      const calls = newCalls();
      for (const one of campaign.nodes) await callOnce(campaign, one, key.token, calls);
      await revokeKey(campaign, key.id);
      revoked.push({ ...key, sentBefore: calls.sent });
    }
  })();
  return { revoked, ended: Promise.all([revoking, askWithRevokedOnAndOn(campaign, revoked)]) };
}

/** Creates a key. @returns null if the command failed */
export async function makeKey(
  { machine }: Campaign,
  { options }: CampaignNode,
): Promise<{ id: number; token: string } | null> {
  const words = ["key", "create", "--member", "1", "--json"];
  const { exitCode, out } = await machine.run(words, options);
  if (exitCode !== 0) return null;
  const { id, key } = JSON.parse(out) as { id: number; key: string };
  return { id, token: key };
}

/** Revokes a key, trying the nodes by turns until a command succeeds. */
export async function revokeKey({ machine, nodes, refusals }: Campaign, id: number): Promise<void> {
  for (let turn = id; ; turn++) {
    const { options } = nodes[turn % 2] as CampaignNode;
    const { exitCode, notes } = await machine.run(["key", "revoke", String(id)], options);
    if (exitCode === 0) return;
    refusals.add(notes);
    await elapsed(PAUSE_AFTER_FAILURE_MS);
  }
}

/** Sends requests with revoked keys, newest first: none of them may be served. */
export async function askWithRevokedOnAndOn(
  campaign: Campaign,
  revoked: readonly RevokedKey[],
): Promise<void> {
  const calls = newCalls();
  for (let at = 0; campaign.goesOn; at++) {
    const key = revoked.at(-1 - (at % 5)) ?? revoked.at(-1);
    if (key !== undefined) {
      for (const node of campaign.nodes) {
        const status = await callOnce(campaign, node, key.token, calls);
        if (status === 200) campaign.faults.push(`${node.name} served revoked key ${key.id}`);
      }
    }
    await elapsed(PAUSE_AFTER_NONE_MS);
  }
}
