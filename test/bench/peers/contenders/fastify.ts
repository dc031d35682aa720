import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { startServer } from "../processes.ts";
import type { Wish } from "../requests.ts";
import { type Contender, rowsOfKanalog, withQuery } from "./contender.ts";
import { FASTIFY_FILL, FASTIFY_INDEXES, FASTIFY_SCHEMA } from "./fastify-schema.ts";

const SERVER = join(import.meta.dir, "fastify-server.ts");

/**
 * Fastify with better-sqlite3, on Bun like Kanalog, so that driver and SQLite are the same; the driver's release for
 * Node.js 20 has another SQLite.
 */
export async function startFastify(kanalogDatabase: string): Promise<Contender> {
  const database = fill(kanalogDatabase);
  const server = await startServer(
    (port) => [process.execPath, SERVER, database, String(port)],
    "/ready",
  );
  return {
    name: "Fastify",
    server,
    headers: {},
    path: async (wish) => pathOf(wish),
    rows: rowsOfKanalog,
  };
}

function pathOf(wish: Wish): string {
  switch (wish.kind) {
    case "card":
      return `/channels/${wish.id}`;
    case "handle":
      return `/channels/${wish.handle}`;
    case "catalog":
      return withQuery("/channels", {
        q: wish.q,
        category: wish.category,
        territory: wish.territory,
        subscribers_min: wish.subscribersMin,
        subscribers_max: wish.subscribersMax,
        ordering: wish.ordering,
        page: wish.page,
      });
    case "ids":
      return withQuery("/channels", { ids: wish.ids.join(",") });
    case "statistics": {
      const { channels, from, to } = wish;
      return withQuery("/statistics", { channels: channels.join(","), from, to });
    }
    case "posts":
      return withQuery(`/channels/${wish.channel}/posts`, {
        from: wish.from,
        to: wish.to,
        is_ad: wish.isAd,
      });
    case "post":
      return `/posts/${wish.id}`;
  }
}

/** Copies the rows into its own tables, once. @returns the file */
function fill(kanalogDatabase: string): string {
  // A former table has other columns.
  const file = join(dirname(kanalogDatabase), `fastify-${Bun.hash(FASTIFY_FILL)}.db`);
  if (existsSync(file)) return file;
  const unfinished = `${file}.unfinished`;
  rmSync(unfinished, { force: true });
  const db = new BetterSqlite3(unfinished);
  db.pragma("journal_mode = OFF");
  db.pragma("synchronous = OFF");
  db.pragma("cache_size = -1000000");
  db.exec(FASTIFY_SCHEMA);
  db.prepare("ATTACH ? AS kanalog").run(kanalogDatabase);
  db.exec(FASTIFY_FILL);
  db.exec("DETACH kanalog");
  db.exec(FASTIFY_INDEXES);
  db.close();
  renameSync(unfinished, file);
  return file;
}
