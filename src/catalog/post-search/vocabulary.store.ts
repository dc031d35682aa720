import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";

/** One in so many posts is counted for its stems. */
const COUNTED_EVERY = 32;
/** Stems that are known to be stored; then they are forgotten, and told to SQLite again. */
const KNOWN_MAX = 2 ** 17;

/**
 * Writes down which stems the index has; inside the transactions that write the index. It keeps what it
 * wrote in mind: a transaction that is rolled back ends whoever writes.
 */
export function createVocabulary(db: Database) {
  const add = statement(db, "INSERT OR IGNORE INTO post_search_stems (stem, posts) VALUES (?, 0)");
  const count = statement(
    db,
    `INSERT INTO post_search_stems (stem, posts) VALUES (?, ${COUNTED_EVERY})
     ON CONFLICT (stem) DO UPDATE SET posts = posts + ${COUNTED_EVERY}`,
  );
  const known = new Set<string>();
  let knownEdition = 0;
  return {
    /** Before stems are added: another process may have emptied the index meanwhile. */
    begin(edition: number): void {
      if (edition !== knownEdition || known.size > KNOWN_MAX) known.clear();
      knownEdition = edition;
    },

    /** @param stems of a post, each once */
    add(postId: number, stems: Iterable<string>): void {
      const isCounted = postId % COUNTED_EVERY === 0;
      for (const stem of stems) {
        if (isCounted) count.run(stem);
        else if (!known.has(stem)) add.run(stem);
        known.add(stem);
      }
    },
  };
}

/** Stems that are looked at for a beginning: more than any beginning of three letters has in a language. */
const LOOKED_AT_MAX = 50_000;
/** Sorts behind every letter and digit. */
const LAST_CHARACTER = "\u{10ffff}";

/** The stems that begin so, the most frequent first, and among equally frequent ones the shortest. */
export function stemsBeginning(db: Database, beginning: string, limit: number): string[] {
  return statement<{ stem: string }>(
    db,
    `SELECT stem FROM (
       SELECT stem, posts FROM post_search_stems
       WHERE ${WITHIN_DEADLINE} AND stem >= @beginning AND stem < @end
       LIMIT ${LOOKED_AT_MAX})
     ORDER BY posts DESC, length(stem), stem LIMIT @limit`,
  )
    .all({ beginning, end: beginning + LAST_CHARACTER, limit })
    .map(({ stem }) => stem);
}

/** In how many posts a stem is, estimated. */
export function estimatedPosts(db: Database, stem: string): number {
  return (
    statement<{ posts: number }>(db, "SELECT posts FROM post_search_stems WHERE stem = ?").get(stem)
      ?.posts ?? 0
  );
}
