import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { ROOT, run, startServer } from "../processes.ts";
import type { CatalogWish, Wish } from "../requests.ts";
import { type Contender, rowsOfKanalog, withQuery } from "./contender.ts";

export const MAIN = [process.execPath, join(ROOT, "src/main.ts")];
const RATE = 1_000_000;
const QUOTA = 10 ** 12;

/** Runs a command of Kanalog on a database. @returns what it printed */
export function kanalog(database: string, ...words: string[]): Promise<string> {
  return run([...MAIN, ...words], { env: { KANALOG_DB: database } });
}

/** Kanalog with default settings, and a plan whose limits are never reached. */
export async function startKanalog(database: string): Promise<Contender> {
  const headers = { authorization: `Bearer ${await keyOf(database)}` };
  forgetJobs(database);
  const server = await startServer(
    (port) => [...MAIN, "serve", "--port", String(port), "--db", database],
    "/readyz",
  );
  const cursors = new Map<string, string>();

  /** The path of a far page, found by following `next` as a client does. */
  async function farPage(wish: CatalogWish): Promise<string> {
    const { page = 1, ...first } = wish;
    let path = catalogPath(first);
    const known = cursors.get(`${page} ${path}`);
    if (known !== undefined) return known;
    const start = path;
    for (let at = 1; at < page; at++) {
      const response = await fetch(server.address + path, { headers });
      const { next } = (await response.json()) as { next: string | null };
      if (next === null) throw new Error(`the catalog has ${at} pages, not ${page}`);
      path = next.slice(new URL(next).origin.length);
    }
    cursors.set(`${page} ${start}`, path);
    return path;
  }

  return {
    name: "Kanalog",
    server,
    headers,
    path: async (wish) =>
      wish.kind === "catalog" && wish.page !== undefined ? farPage(wish) : pathOf(wish),
    rows: rowsOfKanalog,
  };
}

const API = "/v1/msgr";

function pathOf(wish: Wish): string {
  switch (wish.kind) {
    case "card":
      return `${API}/channels/${wish.id}/`;
    case "handle":
      return `${API}/channels/${wish.handle}/`;
    case "catalog":
      return catalogPath(wish);
    case "ids":
      return withQuery(`${API}/channels/`, { ids: wish.ids.join(",") });
    case "statistics": {
      const { channels, from, to } = wish;
      return withQuery(`${API}/stats/daily/`, { channels: channels.join(","), from, to });
    }
    case "posts":
      return withQuery(`${API}/channels/${wish.channel}/posts/`, {
        from: wish.from,
        to: wish.to,
        is_ad: wish.isAd,
      });
    case "post":
      return `${API}/posts/${wish.id}/`;
  }
}

function catalogPath(wish: CatalogWish): string {
  return withQuery(`${API}/channels/`, {
    q: wish.q,
    category: wish.category,
    territory: wish.territory,
    subscribers_min: wish.subscribersMin,
    subscribers_max: wish.subscribersMax,
    ordering: wish.ordering,
  });
}

/** A key of the bench's own organization, created once and stored beside the database. */
async function keyOf(database: string): Promise<string> {
  const file = join(dirname(database), "key.txt");
  if (existsSync(file)) return readFileSync(file, "utf8");
  const json = async <T>(...words: string[]): Promise<T> =>
    JSON.parse(await kanalog(database, ...words, "--json")) as T;
  await json(
    ...["plan", "set", "profi", "--rate", String(RATE), "--quota", String(QUOTA)],
    ...["--database-ms", "64000", "--lock-ms", "1000"],
  );
  const { id } = await json<{ id: number }>(
    "org",
    "create",
    "--name",
    "Bench",
    "--plan",
    "profi",
    "--same-name",
  );
  const member = await json<{ id: number }>(
    ...["member", "add", String(id), "--email", "bench@example.com", "--role", "owner"],
  );
  const { key } = await json<{ key: string }>("key", "create", "--member", String(member.id));
  writeFileSync(file, key);
  return key;
}

/**
 * Removes the record of nightly jobs: otherwise those missed since the last run would run while we measure. Without
 * a record there is nothing to catch up with.
 */
function forgetJobs(database: string): void {
  const db = new BetterSqlite3(database);
  db.exec("DELETE FROM jobs");
  db.close();
}
