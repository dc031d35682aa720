import { expect } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openExisting } from "../../src/db/open-database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { checkDatabase } from "../../src/upkeep/checks/check.ts";
import type { Machine, Serving } from "./machine.ts";
import { unpackBackup } from "./unpack-backup.ts";
import { type Customer, elapsed, posts, writePosts } from "./webhook-journey.ts";

/** Load beside a serving process that is killed repeatedly. */

/** State that the loads share. */
export interface Campaign {
  machine: Machine;
  /** The serving process; null while there is none. */
  serving: Serving | null;
  /** False once every load should end, which each does after it has done something. */
  goesOn: boolean;
}

/** Clients' requests, each of which costs a unit. */
export interface Calls {
  sent: number;
  /** Complete answers with status 200. */
  answered: number;
  /** All other statuses; only 503 is acceptable, and costs nothing. */
  others: Set<number>;
}

const CLIENTS = 6;
const BILLED = [
  "/v1/msgr/channels/1/",
  "/v1/msgr/channels/?q=канал&limit=5",
  "/v1/msgr/channels/1/posts/?limit=5",
  "/v1/msgr/stats/daily/?channels=1",
];

/** Sends billed requests until the campaign ends. @param onAnswer called after each complete answer */
export function callOnAndOn(
  campaign: Campaign,
  { key }: Customer,
  onAnswer: () => void,
): { calls: Calls; ended: Promise<unknown> } {
  const calls: Calls = { sent: 0, answered: 0, others: new Set() };
  const client = async (number: number): Promise<void> => {
    for (let at = number; campaign.goesOn; at++) {
      const { serving } = campaign;
      if (serving === null) {
        await elapsed(5);
        continue;
      }
      calls.sent += 1;
      const response = await serving.get(BILLED[at % BILLED.length] ?? "", key).catch(() => null);
      // Only a complete answer counts as received.
      const body = await response?.text().catch(() => null);
      if (response === null || !body) continue;
      if (response.status === 200) calls.answered += 1;
      else calls.others.add(response.status);
      onAnswer();
    }
  };
  return { calls, ended: Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at))) };
}

/** Runs a command that may be killed at any moment. @returns null if it was */
export async function runOrKill(
  machine: Machine,
  words: readonly string[],
  random: () => number,
): Promise<{ exitCode: number; out: string; notes: string } | null> {
  const child = machine.spawn(words);
  const out = child.stdout.text();
  const notes = child.stderr.text();
  if (random() < KILLED_SHARE) {
    await Promise.race([child.exited, elapsed(random() * KILLED_WITHIN_MS)]);
    child.kill("SIGKILL");
  }
  const exitCode = await child.exited;
  return child.signalCode === "SIGKILL" ? null : { exitCode, out: await out, notes: await notes };
}

const KILLED_SHARE = 0.3;
const KILLED_WITHIN_MS = 800;
const PAUSE_MAX_MS = 300;

export interface Imports {
  /** Number of posts whose import succeeded. */
  posts: number;
  /** Last version of all titles that was imported completely. */
  titles: number;
  killed: number;
}

/** More posts than fit in one event. */
const POSTS_MAX = 150;
/** Number of channels: several transactions of an import. */
export const CHANNELS = 400;

/** Imports posts and new titles of all channels by turns; killed commands are repeated. */
export function importOnAndOn(
  campaign: Campaign,
  random: () => number,
): { imports: Imports; ended: Promise<void> } {
  const { machine } = campaign;
  const imports: Imports = { posts: 0, titles: 0, killed: 0 };
  const import_ = async (kind: string, file: string): Promise<void> => {
    for (;;) {
      const finished = await runOrKill(machine, ["import", kind, file], random);
      if (finished === null) imports.killed += 1;
      else {
        expect(finished.exitCode, finished.notes).toBe(0);
        return;
      }
    }
  };
  const ended = (async () => {
    while (campaign.goesOn) {
      const rows = posts(imports.posts + 1, 1 + Math.floor(random() * POSTS_MAX));
      await import_("posts", writePosts(machine, rows));
      imports.posts += rows.length;
      await import_("channels", writeTitles(machine, imports.titles + 1));
      imports.titles += 1;
      await elapsed(random() * PAUSE_MAX_MS);
    }
  })();
  return { imports, ended };
}

export const titleOf = (id: number, version: number): string =>
  `Канал № ${id}, ${"ёжик".repeat(version % 4)} название ${version}`;

function writeTitles(machine: Machine, version: number): string {
  const rows = Array.from(
    { length: CHANNELS },
    (_, at) => `${at + 1},"${titleOf(at + 1, version)}"`,
  );
  machine.write("titles.csv", `id,title\n${rows.join("\n")}\n`);
  return "titles.csv";
}

export interface Keys {
  /** Created keys whose revocation was not acknowledged. */
  good: Map<number, string>;
  revoked: Map<number, string>;
  killed: number;
}

/** Creates keys and revokes some by commands, some of which are killed: their result is then unknown. */
export function changeKeysOnAndOn(
  campaign: Campaign,
  random: () => number,
): { keys: Keys; ended: Promise<void> } {
  const { machine } = campaign;
  const keys: Keys = { good: new Map(), revoked: new Map(), killed: 0 };
  const ended = (async () => {
    while (campaign.goesOn || keys.good.size + keys.revoked.size === 0) {
      const made = await runOrKill(machine, ["key", "create", "--member", "1", "--json"], random);
      if (made === null) keys.killed += 1;
      else {
        expect(made.exitCode, made.notes).toBe(0);
        const { id, key } = JSON.parse(made.out) as { id: number; key: string };
        keys.good.set(id, key);
      }
      const [oldest] = keys.good;
      if (oldest !== undefined && random() < 0.5) {
        const [id, key] = oldest;
        keys.good.delete(id);
        const ended = await runOrKill(machine, ["key", "revoke", String(id)], random);
        if (ended === null) keys.killed += 1;
        else {
          expect(ended.exitCode, ended.notes).toBe(0);
          keys.revoked.set(id, key);
        }
      }
      await elapsed(random() * PAUSE_MAX_MS);
    }
  })();
  return { keys, ended };
}

export interface Backups {
  finished: number;
  killed: number;
}

/**
 * Writes backups to files and to a folder of backups, some of which are killed; expects every file under a
 * backup's name to be sound.
 */
export function backUpOnAndOn(
  campaign: Campaign,
  calls: Calls,
  random: () => number,
): { backups: Backups; ended: Promise<void> } {
  const { machine } = campaign;
  const backups: Backups = { finished: 0, killed: 0 };
  const ended = (async () => {
    for (let at = 0; campaign.goesOn || backups.finished === 0; at++) {
      const name = `backup-${at}.db`;
      const answeredBefore = calls.answered;
      const isToFolder = at % 2 === 1;
      const words = isToFolder ? ["--to", "copies"] : [name];
      const ended = await runOrKill(machine, ["backup", ...words], random);
      if (ended === null) backups.killed += 1;
      else {
        expect(ended.exitCode, ended.notes).toBe(0);
        backups.finished += 1;
      }
      if (isToFolder) unpackNewest(machine, name);
      if (ended !== null) expect(machine.exists(name)).toBe(true);
      if (machine.exists(name)) {
        const { faults, units } = lookInto(machine.path(name));
        expect(faults).toEqual([]);
        expect(units).toBeGreaterThanOrEqual(answeredBefore);
        expect(units).toBeLessThanOrEqual(calls.sent);
      }
      for (const left of readdirSync(machine.folder)) {
        if (left.startsWith("backup-")) rmSync(machine.path(left));
      }
      await elapsed(random() * PAUSE_MAX_MS);
    }
  })();
  return { backups, ended };
}

/** Unpacks the newest backup of the folder, if there is one, and removes it, but not its packs. */
function unpackNewest(machine: Machine, name: string): void {
  const folder = machine.path("copies");
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const newest = names.findLast((one) => one.endsWith(".backup"));
  if (newest === undefined) return;
  const path = join(folder, newest);
  unpackBackup(path, machine.path(name));
  rmSync(path);
}

function lookInto(path: string): { faults: string[]; units: number } {
  const db = openExisting(path, systemClock);
  try {
    const faults: string[] = [];
    checkDatabase(db, (result) => faults.push(...result.faults));
    const sum = db.prepare("SELECT coalesce(sum(used), 0) AS units FROM usage_periods");
    return { faults, units: (sum.get() as { units: number }).units };
  } finally {
    db.close();
  }
}
