import { type Database, statement } from "../../db/database.ts";
import { countOf, foundRows, openVocabulary } from "./finding.ts";

/** Length of the tokenizer's trigrams, in code points. */
const GRAM = 3;
/**
 * Checksums add up channel numbers modulo this, so that they are exact: for a million channels they stay
 * below 10^12, and numbers are exact up to 9 x 10^15.
 */
const MODULUS = 1_000_003;

/**
 * Compares the search index with the texts: it must hold the same channels, each with the trigrams of its
 * text, and every trigram with the same number of channels and the same checksum of their numbers. Listing
 * every pair of channel and trigram would take minutes at a million channels; this takes seconds. The
 * index's structure is checked by `integrity_check`.
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
  /** Channel counted last, because a trigram counts once per channel. */
  last: number;
}

/** A trigram, packed into a number if possible: a map with numeric keys is six times as fast. */
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

/** What the index must contain, computed from the table. */
function tallies(db: Database): Map<Gram, Tally> {
  const found = new Map<Gram, Tally>();
  const sql = `SELECT t.id, t.id % ${MODULUS} AS remainder, t.search_text AS text
    FROM channel_texts t CROSS JOIN channels c ON c.id = t.id WHERE c.is_public = 1`;
  const texts = statement<{ id: number; remainder: number; text: string }>(db, sql);
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

/** Packs three UTF-16 units into one number. */
function packed(text: string, at: number): number {
  return (text.charCodeAt(at) * UNIT + text.charCodeAt(at + 1)) * UNIT + text.charCodeAt(at + 2);
}

function textOf(gram: Gram): string {
  if (typeof gram === "string") return gram;
  const units = [gram / UNIT ** 2, (gram / UNIT) % UNIT, gram % UNIT];
  return String.fromCharCode(...units);
}

/** What the index does contain. */
function indexedTallies(db: Database): Iterable<{ term: string; channels: number; sum: number }> {
  const sql = `SELECT term, count(*) AS channels, sum(doc % ${MODULUS}) AS sum
    FROM temp.search_terms GROUP BY term`;
  return statement<{ term: string; channels: number; sum: number }>(db, sql).iterate();
}
