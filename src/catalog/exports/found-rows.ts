import type { Database } from "../../db/database.ts";
import type { ExportRow, Position } from "../imports/kinds/exported-rows.ts";
import { requireWhole } from "../post-search/post-search.ts";
import { foundAfter } from "../post-search/select-found.store.ts";
import { selectPostsById } from "../posts/shown-posts.store.ts";
import type { BulkSelection } from "./bulk-selection.ts";

/**
 * Posts that a search finds, newest first; candidates whose text lacks the exact form are dropped on the
 * way. As for other posts, the position starts with the id.
 * @throws AppError `unavailable` while the index is being rebuilt, since the file would end too early
 */
export function* foundRows(
  db: Database,
  found: NonNullable<BulkSelection["found"]>,
  after: Position,
  limit: number,
): Generator<ExportRow> {
  requireWhole(db);
  const [id = 0, at = 0] = after ?? [];
  for (const match of foundAfter(db, found, after && [at, id], limit)) {
    const [post = null] = match.hasText() ? selectPostsById(db, [match.id]) : [];
    yield { position: [match.id, match.published_at], values: post };
  }
}
