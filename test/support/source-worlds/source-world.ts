import { expect } from "bun:test";
import type { Machine, Serving } from "../machine.ts";
import type { TroubledServer } from "../troubled-server.ts";

/** A number from 0 on that is below another one. */
export type Chance = (below: number) => number;

/** What a source reads, as a campaign of kills plays with it. */
export interface SourceWorld {
  server: TroubledServer;
  /** How it is added, in the order in which that is done. */
  additions: Addition[];
  /** Adds the source by its command, with what it needs. */
  add(machine: Machine): Promise<void>;
  /** The owners of channels add the bot. */
  join?(): void;
  /** Something happens there, and now and then goes wrong. */
  happen(chance: Chance): void;
  /** Nothing goes wrong there any more. */
  calm(): void;
  /** The texts of posts as they are to be, by `<channel> <post>`. */
  wanted(): Map<string, string>;
  /** Requests, or rows, after which a run is somewhere in its middle. */
  isAmid(chance: Chance, machine: Machine): () => boolean;
  /** From the middle of a campaign on. */
  turn?(machine: Machine): Promise<void>;
  /** Delivers what is pushed. */
  deliver?(serving: Serving, chance: Chance): Promise<void>;
}

/** A source as it is added by a command, and on a page of staff's. */
export interface Addition {
  name: string;
  words: readonly string[];
  /** What the command is given on standard input. */
  stdin?: string;
  path: string;
  /** Fields of the form by their names. */
  fields: Readonly<Record<string, string>>;
  button: string;
}

/** Settings under which the real process asks servers of this machine. */
export const SOURCE_ENVIRONMENT = {
  KANALOG_SOURCE_ALLOW: "127.0.0.0/8",
  KANALOG_BASE_URL: "https://catalog.example.com",
};

/** Whether a run has asked so many times. */
export function hasAsked(server: TroubledServer, times: number): () => boolean {
  const from = server.requests;
  return () => server.requests - from > times;
}

/** The texts of the posts in a database, by `<channel> <post>`; fails where one is there twice. */
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

/** Whether all posts are stored as they are to be. */
export function isAllRead(world: SourceWorld, is: ReadonlyMap<string, string>): boolean {
  const should = world.wanted();
  return is.size === should.size && [...should].every(([key, text]) => is.get(key) === text);
}
