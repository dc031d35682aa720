import { CHANNEL_COLUMNS, type ChannelRecord, toCard } from "../../catalog/channels/card.ts";
import { CARD_JSON } from "../../catalog/channels/stored-card.ts";
import { type Database, statement } from "../../db/database.ts";
import { faultOf, foundRows } from "./found-rows.ts";

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
    ...faultOf("Public channels whose card is not shown as it is stored", cardsThatDiffer(db)),
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
 * Numbers of channels whose stored card differs from their row. Cards are parsed before comparing, because
 * a migration may have written an integer as `5.0`.
 */
function cardsThatDiffer(db: Database): number[] {
  const rows = statement<ChannelRecord & { json: string | null }>(
    db,
    `SELECT ${CHANNEL_COLUMNS}, ${CARD_JSON} AS json FROM channels c JOIN channel_cards k ON k.id = c.id
       LEFT JOIN public_cards p ON p.id = c.id
     WHERE c.is_public = 1`,
  );
  const ids: number[] = [];
  for (const row of rows.iterate()) {
    if (!Bun.deepEquals(parsed(row.json), toCard(row))) ids.push(row.id);
  }
  return ids;
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
