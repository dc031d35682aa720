import { foldText } from "./fold-text.ts";

interface Entry {
  slug: string;
  name: string;
}

/** Longest text that is compared: codes and names are shorter. */
const LENGTH_MAX = 40;
const CODES_MAX = 3;
/** A text may differ by one letter for each three that it has, but by at least one. */
const LETTERS_PER_EDIT = 3;
const EDITS_MAX = 3;

/**
 * The codes nearest to a text, by edit distance to codes, names and words of names; empty if none is near.
 */
export function nearestCodes(given: string, entries: readonly Entry[]): string[] {
  const text = foldText(given);
  if (text === "" || text.length > LENGTH_MAX) return [];
  const editsMax = Math.min(EDITS_MAX, Math.max(1, Math.floor(text.length / LETTERS_PER_EDIT)));
  const near = entries.flatMap(({ slug, name }) => {
    const edits = Math.min(
      ...spellings(slug, name).map((spelling) => editDistance(text, spelling, editsMax)),
    );
    return edits <= editsMax ? [{ slug, edits }] : [];
  });
  const least = Math.min(...near.map(({ edits }) => edits));
  const nearest = near.filter(({ edits }) => edits === least);
  return nearest.slice(0, CODES_MAX).map(({ slug }) => slug);
}

/** Folds only case and ё in names: `foldText` would take three times as long as everything else. */
function spellings(slug: string, name: string): string[] {
  const folded = name.toLowerCase().replaceAll("ё", "е");
  return [slug, folded, ...folded.split(" ")];
}

/** Number of letters to insert, delete or replace; `max` + 1 if it is more than `max`. */
function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let at = 1; at <= a.length; at++) {
    const above = row;
    row = [at];
    let least = at;
    for (let of = 1; of <= b.length; of++) {
      const changed = (above[of - 1] ?? 0) + Number(a[at - 1] !== b[of - 1]);
      const edits = Math.min(changed, (above[of] ?? 0) + 1, (row[of - 1] ?? 0) + 1);
      row.push(edits);
      least = Math.min(least, edits);
    }
    if (least > max) return max + 1;
  }
  return Math.min(row[b.length] ?? 0, max + 1);
}
