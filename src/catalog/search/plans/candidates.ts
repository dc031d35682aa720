import type { Database } from "../../../db/database.ts";
import { idAt } from "../../channels/search-index.ts";
import type { Query } from "../query.ts";
import { type Found, selectFound } from "./found.ts";
import { afterCondition, guard, IN_INDEX } from "./sql-parts.ts";

/**
 * Looks at all candidates of an expression, and sorts those that match. Null where there are more than
 * `most`; they are counted in the same scan.
 */
export function findAmongCandidates(
  db: Database,
  query: Query,
  match: string,
  most: number,
  part = query.part,
): Found[] | null {
  const [candidates, ...found] = selectFound(
    db,
    `WITH
       matches AS MATERIALIZED (
         SELECT ${idAt("rowid")} AS id FROM channel_search
         WHERE ${guard(most)} AND ${IN_INDEX} LIMIT @most + 1),
       counted (n) AS MATERIALIZED (SELECT count(*) FROM matches)
     SELECT n AS id, NULL AS value FROM counted
     UNION ALL SELECT * FROM (
       SELECT c.id, c.${query.column} AS value FROM matches m CROSS JOIN channels c ON c.id = m.id
       WHERE ${guard(most)} AND (SELECT n FROM counted) <= @most
         AND c.is_public = 1 AND c.kind = @kind
         ${query.range} ${afterCondition(query)} ${query.tests}
       ORDER BY c.${query.column} DESC, c.id LIMIT @limit)`,
    query,
    { match, most, ...part },
  );
  return candidates !== undefined && candidates.id <= most ? found : null;
}
