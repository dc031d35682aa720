import { type Database, statement } from "../../db/database.ts";
import { editDistance, wordsOf } from "../../values/fold-text.ts";
import { foldForSearch, trigramsOf } from "../channels/search-text.ts";
import type { CatalogFilter, Suggestion } from "./catalog.ts";
import { findChannels, selectedOf } from "./find-channels.store.ts";
import { quotedTerm, termsByRarity } from "./search-terms.ts";

const SUGGESTIONS_MAX = 5;
/** Words of a text that are compared, and the letters of each. */
const WORDS_MAX = 8;
const LETTERS_MAX = 40;
/** Channels with a rare trigram of the text, and the largest channels: their texts take some 3 ms to read. */
const WITH_TRIGRAM_MAX = 1_000;
const LARGEST_MAX = 500;
/** Those with most trigrams of the text, which are compared letter by letter. */
const COMPARED_MAX = 200;

interface Candidate {
  id: number;
  subscribers: number;
  search_text: string;
}

/**
 * The channels whose titles are nearest to a text that no title contains, among those that all other filters
 * let through; the larger first of those equally near.
 */
export function suggestTitles(db: Database, filter: CatalogFilter): Suggestion[] {
  const words = wordsOf(foldForSearch(filter.text ?? ""))
    .slice(0, WORDS_MAX)
    .map((word) => word.slice(0, LETTERS_MAX));
  const trigrams = [...new Set(words.flatMap(trigramsOf))];
  if (trigrams.length === 0) return [];
  const shared = ({ search_text }: Candidate): number =>
    trigrams.reduce((count, trigram) => count + Number(search_text.includes(trigram)), 0);
  const near = candidates(db, filter, trigrams)
    .map((one) => ({ ...one, shared: shared(one) }))
    .filter((one) => one.shared > 0)
    .sort((one, other) => other.shared - one.shared || other.subscribers - one.subscribers)
    .slice(0, COMPARED_MAX)
    .map((one) => ({ ...one, edits: editsTo(one, words) }))
    .filter(({ edits }) => edits !== null)
    .sort(
      (one, other) =>
        Number(one.edits) - Number(other.edits) || other.subscribers - one.subscribers,
    )
    .slice(0, SUGGESTIONS_MAX);
  const sql = `SELECT k.id, k.title, k.handle, c.subscribers
    FROM json_each(?) given CROSS JOIN channel_cards k ON k.id = given.value
      CROSS JOIN channels c ON c.id = k.id`;
  return statement<Suggestion>(db, sql).all(JSON.stringify(near.map((one) => one.id)));
}

function candidates(db: Database, given: CatalogFilter, trigrams: readonly string[]): Candidate[] {
  const filter = { ...given, text: null };
  const largest = findChannels(db, {
    ...{ filter, ordering: "-subscribers", after: null, limit: LARGEST_MAX },
  });
  const similar = selectedOf(db, filter, withRareTrigram(db, trigrams));
  const sql = `SELECT c.id, c.subscribers, t.search_text
    FROM json_each(?) given CROSS JOIN channels c ON c.id = given.value
      CROSS JOIN channel_texts t ON t.id = c.id`;
  return statement<Candidate>(db, sql).all(
    JSON.stringify([...new Set([...largest.map(({ id }) => id), ...similar])]),
  );
}

/** Channels with one of the rarest trigrams, as many as are affordable. */
function withRareTrigram(db: Database, trigrams: readonly string[]): number[] {
  let left = WITH_TRIGRAM_MAX;
  const rare = termsByRarity(db, trigrams).filter(({ channels }, at) => {
    left -= channels;
    return at === 0 || left >= 0;
  });
  const sql = "SELECT rowid AS id FROM channel_search WHERE channel_search MATCH ? LIMIT ?";
  return statement<{ id: number }>(db, sql)
    .all(rare.map((one) => quotedTerm(one.text)).join(" OR "), WITH_TRIGRAM_MAX)
    .map((one) => one.id);
}

/**
 * Letters to change so that title or handle begin words with each of the words, or are one word with all of
 * them; a word that is not there counts as one more than its letters may. Null if it has no word.
 */
function editsTo({ search_text }: Candidate, words: readonly string[]): number | null {
  const [title = "", handle = ""] = search_text.split("\n");
  const own = [...wordsOf(title), ...wordsOf(handle)];
  const apart = words.map((word) => editsOf(word, own));
  const all = words.join("");
  const together = editsOf(
    all,
    [title, handle].map((text) => wordsOf(text).join("")),
  );
  if (together <= editsMax(all)) return together;
  if (!words.some((word, at) => word.length > 2 && (apart[at] ?? 0) <= editsMax(word))) return null;
  return apart.reduce((sum, edits) => sum + edits, 0);
}

/** A word may differ by one letter for each three that it has, by three at the most. */
function editsMax(word: string): number {
  return Math.min(3, Math.floor(word.length / 3));
}

/** Letters to change so that one of the texts begins with the word; one more than it may have if none is near. */
function editsOf(word: string, texts: readonly string[]): number {
  const most = editsMax(word);
  const edits = texts.map((text) =>
    Math.min(
      editDistance(word, text.slice(0, word.length), most),
      editDistance(word, text.slice(0, word.length + 1), most),
    ),
  );
  return Math.min(most + 1, ...edits);
}
