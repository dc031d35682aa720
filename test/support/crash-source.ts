import { expect } from "bun:test";
import type { Campaign } from "./crash-load.ts";
import type { Machine, Serving } from "./machine.ts";
import { isAllRead, type SourceWorld, storedPosts } from "./source-worlds/source-world.ts";
import { SOURCE_WORLDS } from "./source-worlds/source-worlds.ts";
import { until } from "./until.ts";
import { elapsed } from "./webhook-journey.ts";

/** A bot that is read while everything is killed. */

/** Numbers of what the bot brings, far from those that imports give. */
export const SOURCE_CHANNELS_FROM = 1_000_000;
export const SOURCE_POSTS_FROM = 100_000_000;
const HAPPENS_MAX = 10;
/** Of the sixty changes that a world chooses from, these and later ones are faults. */
const FAULTS_FROM = 57;
/**
 * Requests that the bot makes before the next faults may happen: it waits ever longer after each fault, so that
 * faults by time alone would find it waiting for ever.
 */
const REQUESTS_BETWEEN_FAULTS = 5;
const PAUSE_MAX_MS = 400;

/** A bot of either messenger in turn. Its channels and posts get numbers after those that exist. */
export async function addSource(machine: Machine, seed: number): Promise<SourceWorld> {
  const [channel, post] = [SOURCE_CHANNELS_FROM, SOURCE_POSTS_FROM];
  machine.write("floor.csv", `id,title,subscribers\n${channel},Before all bots,1\n`);
  machine.write(
    "floor-posts.csv",
    `id,channel,text,published_at\n${post},${channel},,2020-01-01T00:00:00Z\n`,
  );
  for (const words of [
    ["channels", "floor.csv"],
    ["posts", "floor-posts.csv"],
  ]) {
    const { exitCode, notes } = await machine.run(["import", ...words]);
    expect(exitCode, notes).toBe(0);
  }
  const world = seed % 2 === 0 ? SOURCE_WORLDS.telegram() : SOURCE_WORLDS.max();
  await world.add(machine);
  return world;
}

/** Posts, edits and faults at the messenger, each followed by a run. */
export async function happenOnAndOn(
  campaign: Campaign,
  world: SourceWorld,
  random: () => number,
): Promise<void> {
  let requestsAtFaults = 0;
  while (campaign.goesOn) {
    const { requests } = world.server;
    const mayFail = requests >= requestsAtFaults + REQUESTS_BETWEEN_FAULTS;
    if (mayFail) requestsAtFaults = requests;
    const chance = (below: number): number =>
      Math.floor(random() * (mayFail ? below : Math.min(below, FAULTS_FROM)));
    for (let count = chance(HAPPENS_MAX); count > 0; count--) world.happen(chance);
    ask(campaign.machine);
    if (campaign.serving !== null) await world.deliver?.(campaign.serving, chance);
    await elapsed(random() * PAUSE_MAX_MS);
  }
  world.calm();
}

/** Number of the bot's posts that are stored. */
export function postsRead(machine: Machine): number {
  const sql = `SELECT count(*) AS posts FROM posts WHERE id > ${SOURCE_POSTS_FROM}`;
  return machine.query<{ posts: number }>(sql)[0]?.posts ?? 0;
}

/** Each post of the bot is stored once, with its last text. */
export async function expectRead(
  machine: Machine,
  world: SourceWorld,
  serving: Serving,
): Promise<void> {
  const stored = () =>
    storedPosts((sql) => machine.query(`${sql} WHERE p.id > ${SOURCE_POSTS_FROM}`));
  await world.deliver?.(serving, () => 1);
  await until(() => {
    ask(machine);
    return isAllRead(world, stored());
  }, "all posts of the bot");
  expect(stored()).toEqual(world.wanted());
}

/** Requests a run of the source at once: after some kills, and a failure before them, it would wait. */
function ask(machine: Machine): void {
  const db = machine.open();
  db.exec("UPDATE sources SET is_asked = 1");
  db.close();
}
