import { expect } from "bun:test";
import type { Machine, Serving } from "../machine.ts";
import type { TroubledServer } from "../troubled-server.ts";

/** A random integer from 0 on, less than `below`. */
export type Chance = (below: number) => number;

/** What a source reads, for tests that kill the process that reads it. */
export interface SourceWorld {
  server: TroubledServer;
  /** What to add, in order. */
  additions: Addition[];
  /** Adds the source by its command, after what it depends on. */
  add(machine: Machine): Promise<void>;
  /** Adds the bot to all channels. */
  join?(): void;
  /** Makes one random change, or occasionally a fault. */
  happen(chance: Chance): void;
  /** Ends all faults. */
  calm(): void;
  /** The texts that posts should have in the end, by `<channel> <post>`. */
  wanted(): Map<string, string>;
  /**
   * Called before a run. @returns whether the run has passed a random point, counted in requests or rows
   */
  isAmid(chance: Chance, machine: Machine): () => boolean;
  /** Changes how the source is read, in the course of a test. */
  turn?(machine: Machine): Promise<void>;
  /** Delivers pending pushes. */
  deliver?(serving: Serving, chance: Chance): Promise<void>;
}

/** How a source is added: by a command, and by a form on a staff page. */
export interface Addition {
  name: string;
  words: readonly string[];
  /** The command's standard input. */
  stdin?: string;
  path: string;
  /** The form's fields, by name. */
  fields: Readonly<Record<string, string>>;
  button: string;
}

/** Settings with which the real process may contact servers on this machine. */
export const SOURCE_ENVIRONMENT = {
  KANALOG_SOURCE_ALLOW: "127.0.0.0/8",
  KANALOG_BASE_URL: "https://catalog.example.com",
};

/** @returns whether the server has had more than `times` requests since this call */
export function hasRequested(server: TroubledServer, times: number): () => boolean {
  const from = server.requests;
  return () => server.requests - from > times;
}

/** The texts of the posts in a database, by `<channel> <post>`; fails if a post is stored twice. */
export function storedPosts(
  query: (sql: string) => { key: string; text: string }[],
): Map<string, string> {
  const rows = query(
    `SELECT k.msgr_id || ' ' || p.msgr_post_id AS key, p.text
     FROM posts p JOIN channel_cards k ON k.id = p.channel_id`,
  );
  const posts = new Map(rows.map(({ key, text }) => [key, text]));
  expect(posts.size).toBe(rows.length);
  return posts;
}

/** Whether exactly the wanted posts are stored. */
export function isAllRead(world: SourceWorld, stored: ReadonlyMap<string, string>): boolean {
  const wanted = world.wanted();
  return (
    stored.size === wanted.size && [...wanted].every(([key, text]) => stored.get(key) === text)
  );
}
