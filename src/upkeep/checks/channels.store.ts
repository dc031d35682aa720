import { CHANNEL_COLUMNS, type ChannelRecord, toCard } from "../../catalog/channels/card.ts";
import { readDirectoryIds, textsOf } from "../../catalog/channels/channel-records.store.ts";
import { CARD_JSON } from "../../catalog/channels/stored-card.ts";
import { type Database, statement } from "../../db/database.ts";
import type { CheckStep } from "./check.ts";
import { faultOf, foundRows } from "./finding.ts";

export function channelFaults(db: Database): string[] {
  return [
    ...foundRows(db, {
      "Channels without a card": `SELECT id AS name FROM channels c
       WHERE NOT EXISTS (SELECT 1 FROM channel_cards WHERE id = c.id)
         AND NOT EXISTS (SELECT 1 FROM removed_channels WHERE id = c.id AND is_done = 0)`,
      "Public cards of channels that are not public": `SELECT p.id AS name
       FROM public_cards p
       WHERE NOT EXISTS (SELECT 1 FROM channels WHERE id = p.id AND is_public = 1)`,
    }),
    ...differences(db),
    ...foundRows(db, {
      "Categories of channels that are not in the directory": `SELECT DISTINCT category AS name
       FROM channel_cards
       WHERE category IS NOT NULL AND category NOT IN (SELECT slug FROM categories)`,
      "Territories of channels that are not in the directory": `SELECT DISTINCT territory AS name
       FROM channel_cards
       WHERE territory IS NOT NULL AND territory NOT IN (SELECT slug FROM territories)`,
    }),
  ];
}

/**
 * Channels of which what is shown, or what search goes by, differs from their row.
 */
function differences(db: Database): string[] {
  const directoryIds = readDirectoryIds(db);
  const rows = statement<
    ChannelRecord & { json: string | null; searchText: string | null; facets: string | null }
  >(
    db,
    `SELECT ${CHANNEL_COLUMNS}, ${CARD_JSON} AS json, t.search_text AS searchText, t.facets
     FROM channels c JOIN channel_cards k ON k.id = c.id
       LEFT JOIN public_cards p ON p.id = c.id LEFT JOIN channel_texts t ON t.id = c.id
     WHERE c.is_public = 1`,
  );
  // Facets of channels in a territory that moved follow in parts.
  const moved = new Set(
    statement(db, "SELECT slug FROM territories WHERE is_moved = 1").pluck<string>().all(),
  );
  const ofCards: number[] = [];
  const ofTexts: number[] = [];
  for (const row of rows.iterate()) {
    if (!Bun.deepEquals(parsed(row.json), toCard(row))) ofCards.push(row.id);
    const { text, facets } = textsOf(row, directoryIds);
    const isMoving = moved.has(row.territory ?? "");
    if (row.searchText !== text || (row.facets !== facets && !isMoving)) ofTexts.push(row.id);
  }
  return [
    ...faultOf("Public channels whose card is not shown as it is stored", ofCards),
    ...faultOf("Public channels that search has with other texts, categories or marks", ofTexts),
  ];
}

/** Null if there is none, or it is invalid JSON. */
function parsed(json: string | null): unknown {
  try {
    return JSON.parse(json ?? "null");
  } catch {
    return null;
  }
}

/**
 * Faults of categories and territories. Their counts date from the last recount, so only what a recount
 * could not produce is a fault.
 */
export function directoryFaults(db: Database): string[] {
  return foundRows(db, {
    "Territories whose path is not their parent's and their own code": `SELECT t.slug AS name
       FROM territories t LEFT JOIN territories p ON p.slug = t.parent
       WHERE t.path <> iif(t.parent IS NULL, t.slug, p.path || '/' || t.slug)`,
    "Territories that count less than those below them": `SELECT slug AS name FROM territories t
       WHERE channels < (SELECT coalesce(sum(channels), 0) FROM territories WHERE parent = t.slug)`,
    "Directory entries with negative counts": `SELECT slug AS name FROM categories WHERE channels < 0
       UNION ALL SELECT slug FROM territories WHERE channels < 0`,
  });
}

/**
 * Finds channels that are in the file twice: one has neither handle nor messenger id, and formerly had the
 * handle of the other, which has a messenger id and took it over.
 */
export function twinFaults(db: Database): string[] {
  const sql = `SELECT f.channel_id AS id, b.id AS intoId
    FROM former_handles f
      CROSS JOIN channel_cards a ON a.id = f.channel_id
      CROSS JOIN channel_cards b ON b.handle = f.handle
    WHERE a.msgr_id IS NULL AND a.handle IS NULL AND b.msgr_id IS NOT NULL
    UNION
    SELECT f.channel_id, b.id
    FROM former_handles f
      CROSS JOIN channel_cards a ON a.id = f.channel_id
      CROSS JOIN former_handles g ON g.handle = f.handle AND g.channel_id <> f.channel_id
      CROSS JOIN channel_cards b ON b.id = g.channel_id
    WHERE a.msgr_id IS NULL AND a.handle IS NULL AND b.msgr_id IS NOT NULL
    ORDER BY 1, 2`;
  const twins = statement<{ id: number; intoId: number }>(db, sql).all();
  return faultOf(
    "Two numbers of one channel, to be merged by",
    twins.map(({ id, intoId }) => `kanalog channel merge ${id} ${intoId}`),
  );
}

/** Limit for the lines of SQLite's own report on a table. */
const LINES_MAX = 20;

/** SQLite's integrity check of each table with its indexes, which includes those of the search indexes. */
export function fileSteps(db: Database): CheckStep[] {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
  const tables = statement<{ name: string }>(db, sql);
  return tables.all().map(({ name }) => ({
    name,
    faults() {
      const rows = db.pragma<Record<string, string>>(`integrity_check('${name}')`);
      const lines = rows.flatMap((row) => Object.values(row)).slice(0, LINES_MAX);
      return lines.filter((line) => line !== "ok");
    },
  }));
}

/** Rows that refer to a missing row of another table. */
export function foreignKeyFaults(db: Database): string[] {
  const rows = db.pragma<{ table: string; parent: string }>("foreign_key_check");
  const counts = new Map<string, number>();
  for (const { table, parent } of rows) {
    const kind = `Rows of ${table} without their row of ${parent}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${kind}: ${count}.`);
}
