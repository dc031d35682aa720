import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";

/** Channels that are read at once; each has an address in each language, of which 50,000 make a site map. */
export const HANDLES_PER_PART = 25_000;

/**
 * Numbers after which the parts of the list of all public channels begin, 25,000 channels in each.
 * @param partsMax most of them
 */
export function selectPartStarts(db: Database, partsMax: number): number[] {
  const next = statement<{ id: number }>(
    db,
    `SELECT id FROM channels WHERE id > ? AND is_public = 1 AND ${WITHIN_DEADLINE}
     ORDER BY id LIMIT 1 OFFSET ?`,
  );
  const starts = [0];
  while (starts.length < partsMax) {
    const found = next.get(starts.at(-1) ?? 0, HANDLES_PER_PART - 1);
    if (found === undefined) break;
    starts.push(found.id);
  }
  return starts;
}

export function selectPublicHandles(db: Database, afterId: number): string[] {
  return statement<{ handle: string | null }>(
    db,
    `SELECT (SELECT handle FROM channel_cards WHERE id = c.id) AS handle FROM channels c
     WHERE c.id > ? AND c.is_public = 1 AND ${WITHIN_DEADLINE} ORDER BY c.id LIMIT ?`,
  )
    .all(afterId, HANDLES_PER_PART)
    .flatMap(({ handle }) => (handle === null ? [] : [handle]));
}
