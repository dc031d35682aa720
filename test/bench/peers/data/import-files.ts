import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ChannelRecord } from "../../../../src/catalog/channels/card.ts";
import { facetsOf, searchTextOf } from "../../../../src/catalog/channels/search-text.ts";
import { storedCard } from "../../../../src/catalog/channels/stored-card.ts";
import { statement } from "../../../../src/db/database.ts";
import { openDatabase } from "../../../../src/db/open-database.ts";
import { systemClock } from "../../../../src/ports/clock.ts";
import { formatDay, formatInstant, startOfDay } from "../../../../src/values/moscow-time.ts";
import { channelRecord, END_DAY } from "./channels.ts";
import { statisticsDays } from "./days.ts";
import { directorySlugs } from "./generate.ts";

/** CSV files for Kanalog's import, and the same rows as stored in the tables. */
interface ImportFiles {
  channels: string;
  stats: string;
  channelRows: string;
  cardRows: string;
  textRows: string;
  publicCardRows: string;
  statsRows: string;
}

const LINES_PER_WRITE = 5_000;

/** @param database an empty database with the directories */
export function writeImportFiles(
  folder: string,
  database: string,
  channels: number,
  daysPerChannel: number,
): ImportFiles {
  const db = openDatabase(database, systemClock, "reader");
  const slugs = directorySlugs(db);
  const categories = new Map(
    statement<{ id: number; slug: string }>(db, "SELECT id, slug FROM categories")
      .all()
      .map(({ id, slug }) => [slug, id]),
  );
  const territoryIds = territoriesAbove(
    statement<{ id: number; slug: string; path: string }>(
      db,
      "SELECT id, slug, path FROM territories",
    ).all(),
  );
  db.close();

  const file = (name: string) => createLines(join(folder, name));
  const [own, rows, cards, texts, publicCards] = [
    file("channels.csv"),
    file("channel-rows.csv"),
    file("card-rows.csv"),
    file("text-rows.csv"),
    file("public-card-rows.csv"),
  ];
  const [stats, statsRows] = [file("stats.csv"), file("stats-rows.csv")];
  own.add([
    ...["id", "msgr_id", "handle", "title", "description", "link", "image", "kind", "subscribers"],
    ...["category", "categories", "territory", "a_plus", "verified", "quality", "citation"],
    ...["last_post_at", "is_public"],
  ]);
  stats.add(["channel", "day", "subscribers", "views", "posts"]);
  for (let id = 1; id <= channels; id++) {
    const one = filled(channelRecord(id, slugs));
    const { kind, quality, citation, subscribers } = one;
    const card = [one.msgr_id, one.handle, one.title, one.description, one.link, one.image];
    const facets = [one.category, one.categories, one.territory, one.a_plus, one.verified];
    own.add([
      ...[id, ...card, kind, subscribers, ...facets, quality, citation],
      ...[formatInstant(one.last_post_at), one.is_public],
    ]);
    const channelFacets = facetsOf({
      categoryIds: [...new Set([one.category, ...one.categories.split(" ")])].flatMap(
        (slug) => categories.get(slug) ?? [],
      ),
      territoryIds: territoryIds.get(one.territory) ?? [],
      aPlus: one.a_plus === 1,
      verified: one.verified === 1,
    });
    const readAt = startOfDay(END_DAY);
    rows.add([
      ...[id, kind, one.is_public, subscribers, readAt, quality, citation],
      one.last_post_at,
    ]);
    cards.add([id, ...card, ...facets, one.former_handles]);
    texts.add([id, searchTextOf(one.title, one.handle), channelFacets]);
    if (one.is_public === 1) publicCards.add([id, storedCard(one)]);
    for (const { day, ...counts } of statisticsDays(id, subscribers, daysPerChannel)) {
      const values = [counts.subscribers, counts.views, counts.posts];
      stats.add([id, formatDay(day), ...values]);
      // Views and posts are marked as imported, not computed from posts.
      statsRows.add([id, day, ...values, 1, 1]);
    }
  }
  return {
    channels: own.close(),
    channelRows: rows.close(),
    cardRows: cards.close(),
    textRows: texts.close(),
    publicCardRows: publicCards.close(),
    stats: stats.close(),
    statsRows: statsRows.close(),
  };
}

/** A record without nulls, because `.import` cannot distinguish them from empty texts. */
function filled(record: ChannelRecord) {
  return {
    ...record,
    handle: record.handle ?? `channel_${record.id}`,
    description: record.description ?? "…",
    link: record.link ?? `https://t.me/channel_${record.id}`,
    image: record.image ?? "https://images.example.com/none.webp",
    category: record.category ?? "other",
    categories: record.categories === "" ? "news" : record.categories,
    territory: record.territory ?? "russia",
    quality: record.quality ?? 50,
    citation: record.citation ?? 1,
    // Whole seconds, as in the CSV for Kanalog.
    last_post_at: record.last_post_at ?? startOfDay(END_DAY),
  };
}

function territoriesAbove(
  nodes: readonly { id: number; slug: string; path: string }[],
): Map<string, number[]> {
  const ids = new Map(nodes.map(({ slug, id }) => [slug, id]));
  return new Map(
    nodes.map(({ slug, path }) => [slug, path.split("/").flatMap((above) => ids.get(above) ?? [])]),
  );
}

function createLines(path: string) {
  const file = openSync(path, "w");
  let lines: string[] = [];
  const flush = (): void => {
    writeSync(file, lines.join(""));
    lines = [];
  };
  return {
    add(cells: readonly (string | number | null)[]): void {
      lines.push(`${cells.map(cell).join(",")}\n`);
      if (lines.length === LINES_PER_WRITE) flush();
    },
    /** @returns the file */
    close(): string {
      flush();
      closeSync(file);
      return path;
    },
  };
}

function cell(value: string | number | null): string {
  const text = String(value ?? "");
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
