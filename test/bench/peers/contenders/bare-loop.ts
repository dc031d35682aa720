/**
 * What the database costs: the statements that Kanalog runs for some wishes, with the same values, in a loop of one
 * process. No HTTP, no keys, no billing, no threads. `bun bare-loop.ts DATABASE WISHES SECONDS CARDS` prints wishes
 * per second. With CARDS `columns`, cards are read from the tables' columns and serialized by `JSON.stringify`, as a
 * program without stored cards would do; with `texts`, the stored texts are concatenated.
 */
import { readFileSync } from "node:fs";
import { CHANNEL_COLUMNS } from "../../../../src/catalog/channels/card.ts";
import { selectCards } from "../../../../src/catalog/channels/channels.store.ts";
import { selectDailyStatistics } from "../../../../src/catalog/statistics/statistics.store.ts";
import { type Database, statement } from "../../../../src/db/database.ts";
import { openDatabase } from "../../../../src/db/open-database.ts";
import { systemClock } from "../../../../src/ports/clock.ts";
import { parseDay } from "../../../../src/values/moscow-time.ts";
import type { Wish } from "../requests.ts";
import { type Query, recordQueries } from "./record-queries.ts";

const [database = "", file = "", seconds = "1", cards = "columns"] = process.argv.slice(2);
const WARM_UP_MS = 300;

const db = openDatabase(database, systemClock, "reader");
const wishes = JSON.parse(readFileSync(file, "utf8")) as Wish[];
const queries = wishes.map(queriesOf);
loop(queries, WARM_UP_MS);
console.log(loop(queries, Number(seconds) * 1000));

/** @returns wishes per second */
function loop(all: readonly Query[][], durationMs: number): number {
  const startedAt = performance.now();
  let done = 0;
  let bytes = 0;
  for (;;) {
    for (const one of all) {
      for (const query of one) bytes += toText(query()).length;
      done += 1;
      const tookMs = performance.now() - startedAt;
      if (tookMs < durationMs) continue;
      if (bytes === 0) throw new Error("nothing was read");
      return (done / tookMs) * 1000;
    }
  }
}

function queriesOf(wish: Wish): Query[] {
  const recorded = recordQueries(db, (recording) => runWish(recording, wish));
  if (cards === "texts" || wish.kind === "statistics") return recorded;
  // The last one read the cards.
  const shown = JSON.parse(toText(recorded.at(-1)?.())) as { id: number }[];
  const ids = JSON.stringify(shown.map(({ id }) => id));
  const columns = statement(
    db,
    `SELECT ${CHANNEL_COLUMNS} FROM json_each(?) given
       CROSS JOIN channels c ON c.id = given.value CROSS JOIN channel_cards k ON k.id = c.id
     WHERE c.is_public = 1`,
  );
  return [...recorded.slice(0, -1), () => columns.all(ids)];
}

/** JSON text of rows; stored cards are text already. */
function toText(result: unknown): string {
  const cards = (result as { cards?: string | null } | undefined)?.cards;
  return cards === undefined ? JSON.stringify(result ?? null) : `[${cards ?? ""}]`;
}

function runWish(recording: Database, wish: Wish): void {
  switch (wish.kind) {
    case "card":
      selectCards(recording, [wish.id]);
      break;
    case "ids":
      selectCards(recording, wish.ids);
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
