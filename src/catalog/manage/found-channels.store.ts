import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import { CHANNEL_COLUMNS, type ChannelRecord } from "../channels/card.ts";
import { foldForSearch } from "../channels/search-text.ts";

export interface FoundByTitle {
  channels: ChannelRecord[];
  /** Whether more channels match than the limit. */
  isMore: boolean;
}

/**
 * Channels whose title or handle contains a text, by number. All search texts are scanned under the
 * deadline, because the index does not contain hidden channels.
 * @throws AppError `timeout`
 */
export function foundByTitle(
  db: Database,
  { text, limit }: { text: string; limit: number },
): FoundByTitle {
  const folded = foldForSearch(text);
  if (folded === "") return { channels: [], isMore: false };
  const found = statement<ChannelRecord>(
    db,
    `SELECT ${CHANNEL_COLUMNS}
     FROM channel_texts t CROSS JOIN channels c ON c.id = t.id
       CROSS JOIN channel_cards k ON k.id = t.id
     WHERE ${WITHIN_DEADLINE} AND instr(t.search_text, ?) > 0 ORDER BY t.id LIMIT ?`,
  ).all(folded, limit + 1);
  return { channels: found.slice(0, limit), isMore: found.length > limit };
}
