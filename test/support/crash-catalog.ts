import { expect } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { type Campaign, CHANNELS, type Imports, runOrKill } from "./crash-load.ts";
import { SOURCE_CHANNELS_FROM, SOURCE_POSTS_FROM } from "./crash-source.ts";
import type { Machine } from "./machine.ts";
import { elapsed } from "./webhook-journey.ts";

/** An operator's changes to the catalog, by commands, some of which are killed. */

export interface CatalogChanges {
  /** Last version of all channels' subscribers that was imported completely. */
  refreshes: number;
  /** Number of exports that were found to be complete. */
  exports: number;
  merged: number;
  deleted: number;
  /** Number of times the index of posts was rebuilt to the end. */
  rebuilds: number;
  killed: number;
}

/** The channel that others are merged into. */
export const MERGED_INTO = CHANNELS + 1;
/** Number of posts of a channel that is merged or deleted, which takes several steps. */
export const POSTS_REMOVED = 60;
/** Their first number, far from those of posts that are imported meanwhile. */
const POSTS_FROM = 1_000_000;
const PAUSE_MAX_MS = 200;

export const subscribersOf = (id: number, version: number): number =>
  10_000 + 37 * version + ((id * 7_919) % 400) * (1 + (version % 3));

/** Refreshes, exports, merges and deletes by turns; killed commands are repeated. */
export function changeCatalogOnAndOn(
  campaign: Campaign,
  imports: Imports,
  random: () => number,
): { changes: CatalogChanges; ended: Promise<void> } {
  const { machine } = campaign;
  const changes: CatalogChanges = {
    ...{ refreshes: 0, exports: 0, merged: 0, deleted: 0, rebuilds: 0, killed: 0 },
  };

  async function untilDone(words: readonly string[], isDone = () => false): Promise<void> {
    for (;;) {
      const finished = await runOrKill(machine, words, random);
      if (finished?.exitCode === 0) return;
      if (finished === null) changes.killed += 1;
      // A killed removal may have been finished by the next command.
      else if (isDone()) return;
      else expect(finished.exitCode, finished.notes).toBe(0);
    }
  }

  async function refresh(): Promise<void> {
    const version = changes.refreshes + 1;
    const rows = Array.from(
      { length: CHANNELS },
      (_, at) => `${at + 1},${subscribersOf(at + 1, version)}\n`,
    );
    machine.write("refresh.csv", `id,subscribers\n${rows.join("")}`);
    await untilDone(["import", "channels", "refresh.csv"]);
    changes.refreshes = version;
  }

  /** Expects a file under the export's name to be complete, even if the export was killed. */
  async function exportPosts(): Promise<void> {
    const path = machine.path("export.ndjson");
    const leastPosts = imports.posts + POSTS_REMOVED * changes.merged;
    const finished = await runOrKill(machine, ["export", "posts", path], random);
    if (finished === null) changes.killed += 1;
    else expect(finished.exitCode, finished.notes).toBe(0);
    if (existsSync(path)) {
      expectWhole(readFileSync(path, "utf8"), leastPosts);
      changes.exports += 1;
    } else expect(finished).toBeNull();
    for (const left of [path, `${path}.part`]) rmSync(left, { force: true });
  }

  async function removeOne(): Promise<void> {
    const number = changes.merged + changes.deleted;
    const id = MERGED_INTO + 1 + number;
    await untilDone(["import", "channels", writeChannel(machine, id)]);
    await untilDone(["import", "posts", writePostsOf(machine, id, number)]);
    const isMerge = number % 2 === 0;
    const words = isMerge ? ["merge", `${id}`, `${MERGED_INTO}`] : ["delete", `${id}`];
    await untilDone(["channel", ...words, "--yes"], () => isRemoved(machine, id));
    changes[isMerge ? "merged" : "deleted"] += 1;
  }

  const ended = (async () => {
    await untilDone(["import", "channels", writeChannel(machine, MERGED_INTO)]);
    while (campaign.goesOn || Math.min(changes.exports, changes.merged) === 0) {
      await refresh();
      await exportPosts();
      await removeOne();
      await untilDone(["search", "rebuild"]);
      changes.rebuilds += 1;
      await elapsed(random() * PAUSE_MAX_MS);
    }
  })();
  return { changes, ended };
}

/**
 * Expects a post per line, each once, and none missing that existed before the export. One that is taken down
 * while the export runs appears again among those taken down, which come last.
 */
function expectWhole(ndjson: string, leastPosts: number): void {
  expect(ndjson === "" || ndjson.endsWith("\n")).toBe(true);
  const ids = ndjson
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { id: number; deleted?: boolean })
    .flatMap(({ id, deleted }) => (deleted === true ? [] : id));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(leastPosts);
}

/** Expects exactly the merged and deleted channels to be gone, and each to be recorded once. */
export function expectChanges(machine: Machine, { refreshes, merged, deleted }: CatalogChanges) {
  const counted = (sql: string) =>
    machine.query<{ n: number }>(`SELECT count(*) AS n ${sql}`)[0]?.n;
  const isOurs = `id < ${SOURCE_CHANNELS_FROM}`;
  expect(counted(`FROM channels WHERE id > ${CHANNELS} AND ${isOurs}`)).toBe(1);
  const range = `id >= ${POSTS_FROM} AND id < ${SOURCE_POSTS_FROM}`;
  expect(counted(`FROM posts WHERE ${range}`)).toBe(POSTS_REMOVED * merged);
  expect(counted(`FROM posts WHERE channel_id = ${MERGED_INTO}`)).toBe(POSTS_REMOVED * merged);
  expect(counted("FROM removed_channels WHERE is_done = 1")).toBe(merged + deleted);
  expect(counted("FROM audit_log WHERE action = 'channel.merge'")).toBe(merged);
  expect(counted("FROM audit_log WHERE action = 'channel.delete'")).toBe(deleted);
  const rows = machine.query<{ id: number; subscribers: number }>(
    `SELECT id, subscribers FROM channels WHERE id <= ${CHANNELS}`,
  );
  for (const { id, subscribers } of rows) expect(subscribers).toBe(subscribersOf(id, refreshes));
}

function isRemoved(machine: Machine, id: number): boolean {
  return machine.query("SELECT id FROM removed_channels WHERE id = ?", id).length === 1;
}

function writeChannel(machine: Machine, id: number): string {
  machine.write("channel.csv", `id,handle,title,subscribers\n${id},extra_${id},Ещё ${id},5\n`);
  return "channel.csv";
}

function writePostsOf(machine: Machine, channel: number, number: number): string {
  const first = POSTS_FROM + POSTS_REMOVED * number;
  const rows = Array.from(
    { length: POSTS_REMOVED },
    (_, at) => `${first + at},${channel},${first + at},Старый пост,2020-01-01T00:00:00Z\n`,
  );
  machine.write("old-posts.csv", `id,channel,msgr_post_id,text,published_at\n${rows.join("")}`);
  return "old-posts.csv";
}
