import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import { CHANNEL_COLUMNS, type ChannelRecord } from "../channels/card.ts";
import { foldForSearch } from "../channels/search-text.ts";

export interface TitleSearch {
  text: string;
  /** Number after which the channels wanted begin. */
  after: number;
  /** Number of a channel that is left out, if any. */
  except: number | null;
  limit: number;
}

/**
 * Channels whose title or handle contains a text, by number. All search texts are scanned under the
 * deadline, because the index does not contain hidden channels.
 * @throws AppError `timeout`
 */
export function foundByTitle(
  db: Database,
  { text, after, except, limit }: TitleSearch,
): ChannelRecord[] {
  const folded = foldForSearch(text);
  if (folded === "") return [];
  const sql = `SELECT ${CHANNEL_COLUMNS}
    FROM channel_texts t CROSS JOIN channels c ON c.id = t.id
      CROSS JOIN channel_cards k ON k.id = t.id
    WHERE ${WITHIN_DEADLINE} AND t.id > ? AND t.id IS NOT ? AND instr(t.search_text, ?) > 0
    ORDER BY t.id LIMIT ?`;
  return statement<ChannelRecord>(db, sql).all(after, except, folded, limit);
}
