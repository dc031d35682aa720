import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { parseDay, startOfDay } from "../../../../src/values/moscow-time.ts";
import { run, startServer } from "../processes.ts";
import { type CatalogWish, PAGE_SIZE, type PostsWish, type Wish } from "../requests.ts";
import { type Contender, withQuery } from "./contender.ts";
import { pocketbaseProgram } from "./pocketbase-install.ts";
import { POCKETBASE_FILL, pocketbaseMigration, recordId } from "./pocketbase-schema.ts";

/** Most rows that PocketBase returns in a list. */
const PAGE_MAX = 500;
const DAY_MS = 24 * 60 * 60 * 1000;

/** PocketBase with default settings. It checks no key and counts nothing. */
export async function startPocketbase(kanalogDatabase: string): Promise<Contender> {
  const folder = dirname(kanalogDatabase);
  const program = await pocketbaseProgram(join(dirname(folder), "pocketbase"));
  const data = await fill(program, folder, kanalogDatabase);
  const server = await startServer(
    (port) => [program, "serve", "--http", `127.0.0.1:${port}`, ...folders(data)],
    "/api/health",
  );
  return { name: "PocketBase", server, headers: {}, path: async (wish) => pathOf(wish), rows };
}

function rows(wish: Wish, body: unknown): (number | string)[] {
  type Item = { id: string; channel?: string; day?: string };
  const items = "items" in (body as object) ? (body as { items: Item[] }).items : [body as Item];
  return items.map(({ id, channel, day }) =>
    wish.kind === "statistics" ? `${Number(channel)} ${day}` : Number(id),
  );
}

function pathOf(wish: Wish): string | null {
  switch (wish.kind) {
    case "card":
      return `/api/collections/channels/records/${recordId(wish.id)}`;
    case "handle":
      return list("channels", { filter: `handle = ${quoted(wish.handle)}`, perPage: 1 });
    case "catalog":
      return catalogPath(wish);
    case "ids":
      // In any order, because its list cannot be sorted by the list of ids.
      return list("channels", {
        filter: wish.ids.map((id) => `id = ${quoted(recordId(id))}`).join(" || "),
        perPage: wish.ids.length,
      });
    case "statistics":
      return statisticsPath(wish);
    case "posts":
      return postsPath(wish);
    case "post":
      return `/api/collections/posts/records/${recordId(wish.id)}`;
  }
}

interface ListQuery {
  filter: string;
  sort?: string;
  page?: number | undefined;
  perPage: number;
}

/** Skips the total, which it would otherwise count for each page. */
function list(collection: string, query: ListQuery): string {
  return withQuery(`/api/collections/${collection}/records`, { ...query, skipTotal: true });
}

function catalogPath(wish: CatalogWish): string {
  const conditions = ['kind = "channel"'];
  const { q, category, territory, subscribersMin: min, subscribersMax: max } = wish;
  if (q !== undefined) {
    const folded = q.normalize("NFKC").toLowerCase().replaceAll("ё", "е");
    conditions.push(`search ~ ${quoted(folded)}`);
  }
  if (category !== undefined) conditions.push(`categories ~ ${quoted(` ${category} `)}`);
  if (territory !== undefined) conditions.push(`territory_path ~ ${quoted(`/${territory}/`)}`);
  if (min !== undefined) conditions.push(`subscribers >= ${min}`);
  if (max !== undefined) conditions.push(`subscribers <= ${max}`);
  return list("channels", {
    filter: conditions.join(" && "),
    sort: `${wish.ordering},id`,
    page: wish.page,
    perPage: PAGE_SIZE,
  });
}

function statisticsPath({ channels, from, to }: Wish & { kind: "statistics" }): string | null {
  const days = ((parseDay(to) ?? 0) - (parseDay(from) ?? 0) + 1) * channels.length;
  if (days > PAGE_MAX) return null;
  const any = channels.map((id) => `channel = ${quoted(recordId(id))}`).join(" || ");
  const filter = `(${any}) && day >= ${quoted(from)} && day <= ${quoted(to)}`;
  return list("statistics", { filter, sort: "channel,day", perPage: days });
}

function postsPath({ channel, from, to, isAd }: PostsWish): string {
  const conditions = [`channel = ${quoted(recordId(channel))}`];
  if (from !== undefined) conditions.push(`published_at >= ${quoted(midnight(from, 0))}`);
  if (to !== undefined) conditions.push(`published_at < ${quoted(midnight(to, 1))}`);
  if (isAd !== undefined) conditions.push(`is_ad = ${isAd}`);
  return list("posts", {
    filter: conditions.join(" && "),
    sort: "-published_at,-id",
    perPage: PAGE_SIZE,
  });
}

/** Moscow's midnight of a day, `later` days after it, in PocketBase's form. */
function midnight(day: string, later: number): string {
  const instant = startOfDay(parseDay(day) ?? 0) + later * DAY_MS;
  return new Date(instant).toISOString().replace("T", " ");
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function folders(data: string): string[] {
  return ["--dir", data, "--migrationsDir", join(data, "migrations"), "--automigrate=false"];
}

/** Creates its collections by a migration, and the rows by SQL, because its own API would take days. */
async function fill(program: string, folder: string, kanalogDatabase: string): Promise<string> {
  const data = join(folder, "pocketbase");
  if (existsSync(data)) return data;
  const unfinished = `${data}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(join(unfinished, "migrations"), { recursive: true });
  writeFileSync(join(unfinished, "migrations", "1_collections.js"), pocketbaseMigration());
  await run([program, "migrate", "up", ...folders(unfinished)]);

  const db = new BetterSqlite3(join(unfinished, "data.db"));
  db.pragma("journal_mode = OFF");
  db.pragma("synchronous = OFF");
  db.pragma("cache_size = -1000000");
  db.prepare("ATTACH ? AS kanalog").run(kanalogDatabase);
  const indexes = db
    .prepare<[], { name: string; sql: string }>(
      `SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND sql IS NOT NULL
       AND tbl_name IN ('channels', 'statistics', 'posts')`,
    )
    .all();
  for (const { name } of indexes) db.exec(`DROP INDEX main.${name}`);
  db.exec(POCKETBASE_FILL);
  db.exec("DETACH kanalog");
  for (const { sql } of indexes) db.exec(sql);
  db.exec("ANALYZE");
  db.pragma("journal_mode = WAL");
  db.close();
  renameSync(unfinished, data);
  return data;
}
