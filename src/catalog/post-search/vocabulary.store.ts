import { type Database, statement } from "../../db/database.ts";
import { WITHIN_DEADLINE } from "../../db/deadline.ts";
import type { BeginningStems } from "./finding/match-expression.ts";
import type { IndexedWords } from "./index-text.ts";
import { STEMS_MAX } from "./known-words.ts";
import type { PrefixTerm } from "./post-query.ts";
import { stemsWithin } from "./stems.ts";

/** Stems are counted in one of 32 posts, as 32. */
const COUNTED_EVERY = 32;
/**
 * A stem counted so often is frequent, and from then on counted in fewer posts. Each count changes a page
 * of its own, and counts of frequent stems would be most of what is written.
 */
const FREQUENT_FROM = 8;
const FREQUENT_COUNTED_EVERY = 512;

/**
 * Records which stems the index contains, inside the transactions that write the index. It remembers what
 * it wrote, so it must not be used after a rollback.
 */
export function createVocabulary(db: Database) {
  const add = statement(db, "INSERT OR IGNORE INTO post_search_stems (stem, posts) VALUES (?, 0)");
  const count = statement(
    db,
    `INSERT INTO post_search_stems (stem, posts) VALUES (@stem, @posts)
     ON CONFLICT (stem) DO UPDATE SET posts = posts + @posts`,
  );
  /**
   * State of each stem by number: 0 if it may not be stored yet, otherwise 1 plus its count. Numbers beyond
   * the array, from a text with very many stems, are passed to SQLite every time.
   */
  let written = new Uint8Array(0);
  let writtenStems: readonly string[] | null = null;
  let writtenEdition = 0;

  function countOne(postId: number, stem: number, text: string): void {
    const counted = Math.max(0, (written[stem] ?? 0) - 1);
    const every = counted < FREQUENT_FROM ? COUNTED_EVERY : FREQUENT_COUNTED_EVERY;
    if (postId % every !== 0) return;
    count.run({ stem: text, posts: every });
    written[stem] = 1 + Math.min(FREQUENT_FROM, counted + 1);
  }

  return {
    /** Must be called before stems are added, because another process may have emptied the index. */
    begin(edition: number): void {
      if (edition !== writtenEdition) written.fill(0);
      writtenEdition = edition;
    },

    /** @param postId null for a post that was counted before */
    add(postId: number | null, { stems, stemsByNumber }: IndexedWords): void {
      if (stemsByNumber !== writtenStems) written = new Uint8Array(STEMS_MAX);
      writtenStems = stemsByNumber;
      for (const stem of stems) {
        if (postId !== null && postId % COUNTED_EVERY === 0) {
          countOne(postId, stem, stemsByNumber[stem] ?? "");
        } else if ((written[stem] ?? 0) === 0) {
          add.run(stemsByNumber[stem] ?? "");
          written[stem] = 1;
        }
      }
    },
  };
}

/** Limit for stems examined for a prefix: more than any prefix of three letters has in a language. */
const LOOKED_AT_MAX = 50_000;
/** Sorts after every letter and digit. */
const LAST_CHARACTER = "\u{10ffff}";
/** Stems named one by one: FTS5 compares the next posts of all of them for each match. */
const NAMED_MAX = 100;
/** Posts of the stems with a prefix that FTS5 collects in 20 ms. */
const COLLECTED_MAX = 50_000;

/**
 * The stems of words that begin with a prefix.
 * @param beginnings number of beginnings in the query, which share what it may cost
 */
export function beginningStems(
  db: Database,
  { prefix }: PrefixTerm,
  beginnings: number,
): BeginningStems {
  const rows = statement<{ stem: string; stems: number; all_posts: number }>(
    db,
    `SELECT stem, count(*) OVER () AS stems, sum(posts) OVER () AS all_posts FROM (
       SELECT stem, posts FROM post_search_stems
       WHERE ${WITHIN_DEADLINE} AND stem >= @prefix AND stem < @end
       LIMIT ${LOOKED_AT_MAX})
     ORDER BY posts DESC, length(stem), stem LIMIT @named`,
  ).all({ prefix, end: prefix + LAST_CHARACTER, named: Math.ceil(NAMED_MAX / beginnings) });
  const { stems, all_posts } = rows[0] ?? { stems: 0, all_posts: 0 };
  const hasMore = stems > rows.length;
  return {
    named: rows.map(({ stem }) => stem),
    hasMore,
    isFrequent: hasMore && (stems >= LOOKED_AT_MAX || all_posts > COLLECTED_MAX / beginnings),
    others: statement(
      db,
      "SELECT stem FROM post_search_stems WHERE stem IN (SELECT value FROM json_each(?))",
    )
      .pluck<string>()
      .all(JSON.stringify(stemsWithin(prefix))),
  };
}

export function estimatedPosts(db: Database, stem: string): number {
  return (
    statement<{ posts: number }>(db, "SELECT posts FROM post_search_stems WHERE stem = ?").get(stem)
      ?.posts ?? 0
  );
}
