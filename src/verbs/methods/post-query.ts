import { type PostQuery, readPostQuery } from "../../catalog/post-search/post-query.ts";
import { isLonger, type Read } from "../../values/fields.ts";
import { type Message, message } from "../../values/messages/messages.ts";

export const QUERY_LENGTH_MIN = 2;
export const QUERY_LENGTH_MAX = 200;

/**
 * Reads and trims `q` of post search and of alerts.
 * @param nothing the fault to report if no word remains to search for
 */
export function readQueryText(
  text: string,
  nothing: Message,
): Read<{ q: string; query: PostQuery }> {
  const q = text.trim();
  if ([...q].length < QUERY_LENGTH_MIN) {
    return { fault: message("tooShort", { characters: QUERY_LENGTH_MIN }) };
  }
  if (isLonger(q, QUERY_LENGTH_MAX)) {
    return { fault: message("tooLong", { characters: QUERY_LENGTH_MAX }) };
  }
  const query = readPostQuery(q);
  if (query === null) return { fault: nothing };
  return { value: { q, query } };
}
