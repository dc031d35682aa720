/**
 * What the database costs: the statements that Kanalog runs for some wishes, with the same values,
 * in a loop of one process, each wish's rows made JSON by one `JSON.stringify`. No HTTP, no keys,
 * no billing, no threads. `bun bare-loop.ts DATABASE WISHES SECONDS` prints wishes per second.
 */
import { readFileSync } from "node:fs";
import { selectCatalog } from "../../../../src/channels/catalog.ts";
import { selectCards } from "../../../../src/channels/channels.store.ts";
import { type Database, openDatabase, statement } from "../../../../src/db/database.ts";
import { parseDay } from "../../../../src/moscow-time.ts";
import { systemClock } from "../../../../src/ports/clock.ts";
import { selectDailyStatistics } from "../../../../src/statistics/statistics.store.ts";
import { type CatalogWish, PAGE_SIZE, type Wish } from "../requests.ts";
import { type Query, recordQueries } from "./record-queries.ts";

const [database = "", file = "", seconds = "1"] = process.argv.slice(2);
const WARM_UP_MS = 300;

const db = openDatabase(database, systemClock, "reader");
const wishes = JSON.parse(readFileSync(file, "utf8")) as Wish[];
const queries = wishes.map((wish) => recordQueries(db, (recording) => runWish(recording, wish)));
loop(queries, WARM_UP_MS);
console.log(loop(queries, Number(seconds) * 1000));

/** @returns wishes per second */
function loop(all: readonly Query[][], durationMs: number): number {
  const startedAt = performance.now();
  let done = 0;
  let bytes = 0;
  for (;;) {
    for (const one of all) {
      bytes += JSON.stringify(one.map((query) => query())).length;
      done += 1;
      const tookMs = performance.now() - startedAt;
      if (tookMs < durationMs) continue;
      if (bytes === 0) throw new Error("nothing was read");
      return (done / tookMs) * 1000;
    }
  }
}

function runWish(recording: Database, wish: Wish): void {
  switch (wish.kind) {
    case "card":
      selectCards(recording, [wish.id]);
      break;
    case "ids":
      selectCards(recording, wish.ids);
      break;
    case "catalog":
      runCatalog(recording, wish);
      break;
    case "statistics":
      selectDailyStatistics(recording, {
        channelIds: wish.channels,
        from: parseDay(wish.from) ?? 0,
        to: parseDay(wish.to) ?? 0,
      });
      break;
    default:
      throw new Error(`no bare loop of ${wish.kind}`);
  }
}

function runCatalog(recording: Database, wish: CatalogWish): void {
  const idOf = (table: string, slug: string | undefined): number | null =>
    slug === undefined
      ? null
      : (statement<{ id: number }>(db, `SELECT id FROM ${table} WHERE slug = ?`).get(slug)?.id ??
        null);
  selectCatalog(recording, {
    filter: {
      kind: "channel",
      handle: null,
      text: wish.q?.trim() ?? null,
      categoryId: idOf("categories", wish.category),
      territoryId: idOf("territories", wish.territory),
      aPlus: null,
      verified: null,
      subscribersMin: wish.subscribersMin ?? null,
      subscribersMax: wish.subscribersMax ?? null,
    },
    ordering: wish.ordering,
    after: null,
    limit: PAGE_SIZE,
  });
}
