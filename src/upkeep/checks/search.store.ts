import { type Database, statement } from "../../db/database.ts";
import { countOf, foundRows } from "./found-rows.ts";
import { openVocabulary } from "./vocabulary.ts";

/** The tokenizer's pieces: three code points each. */
const GRAM = 3;
/** Sums of remainders stay exact: a million channels' are below 10^12, a number is exact to 9 x 10^15. */
const MODULUS = 1_000_003;

/**
 * The search index equals the texts: the same channels, each with as many pieces as its text has, and of
 * every piece the same number of channels with the same sum of their numbers' remainders. Listing which
 * channel has which piece would take minutes at a million channels, this takes seconds. The structure of
 * the index is looked at by `integrity_check`.
 */
export function searchFaults(db: Database): string[] {
  openVocabulary(db, "search_terms", "channel_search, instance");
  return [
    ...foundRows(db, {
      "Public channels that are not in the index": `SELECT id AS name
       FROM channels c WHERE is_public = 1
       AND NOT EXISTS (SELECT 1 FROM channel_search_docsize WHERE id = c.id)`,
      "Channels in the index that are not public": `SELECT d.id AS name
       FROM channel_search_docsize d WHERE NOT EXISTS (
         SELECT 1 FROM channels WHERE id = d.id AND is_public = 1)`,
    }),
    ...differingGrams(db),
  ];
}

interface Tally {
  channels: number;
  sum: number;
  /** The channel that was counted last: a piece counts once for each. */
  last: number;
}

/** A piece; a number where it can be one, since a map of numbers is six times as fast. */
type Gram = number | string;

function differingGrams(db: Database): string[] {
  const expected = tallies(db);
  const differing: Gram[] = [];
  for (const { term, channels, sum } of indexedTallies(db)) {
    const gram = gramOf(term);
    const tally = expected.get(gram);
    expected.delete(gram);
    if (tally?.channels !== channels || tally.sum !== sum) differing.push(gram);
  }
  return [
    ...countOf("Pieces of text that the index has for other channels", differing.map(textOf)),
    ...countOf("Pieces of text that the index does not have", [...expected.keys()].map(textOf)),
  ];
}

/** Entries that the index must have, from the table. */
function tallies(db: Database): Map<Gram, Tally> {
  const found = new Map<Gram, Tally>();
  const texts = statement<{ id: number; remainder: number; text: string }>(
    db,
    `SELECT t.id, t.id % ${MODULUS} AS remainder, t.search_text AS text
     FROM channel_texts t CROSS JOIN channels c ON c.id = t.id WHERE c.is_public = 1`,
  );
  for (const { id, remainder, text } of texts.iterate()) {
    const points = /[\ud800-\udfff]/.test(text) ? [...text] : null;
    const { length } = points ?? text;
    for (let at = 0; at + GRAM <= length; at += 1) {
      const gram = points ? gramOf(points.slice(at, at + GRAM).join("")) : packed(text, at);
      const tally = found.get(gram);
      if (tally === undefined) found.set(gram, { channels: 1, sum: remainder, last: id });
      else if (tally.last !== id) {
        tally.channels += 1;
        tally.sum += remainder;
        tally.last = id;
      }
    }
  }
  return found;
}

function gramOf(term: string): Gram {
  return term.length === GRAM ? packed(term, 0) : term;
}

const UNIT = 0x1_00_00;

/** Three UTF-16 units in one number. */
function packed(text: string, at: number): number {
  return (text.charCodeAt(at) * UNIT + text.charCodeAt(at + 1)) * UNIT + text.charCodeAt(at + 2);
}

function textOf(gram: Gram): string {
  if (typeof gram === "string") return gram;
  const units = [gram / UNIT ** 2, (gram / UNIT) % UNIT, gram % UNIT];
  return String.fromCharCode(...units);
}

/** Entries that the index has. */
function indexedTallies(db: Database): Iterable<{ term: string; channels: number; sum: number }> {
  return statement<{ term: string; channels: number; sum: number }>(
    db,
    `SELECT term, count(*) AS channels, sum(doc % ${MODULUS}) AS sum
     FROM temp.search_terms GROUP BY term`,
  ).iterate();
}
