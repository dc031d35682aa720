/** Lists of columns, assignments and values: they vary without changing the plan. */
const LISTS: readonly [RegExp, string][] = [
  [/\b(select) (?:(?!\b(?:select|from)\b).){40,}? (from)\b/gi, "$1 … $2"],
  [/\b(set) (?:(?!\b(?:select|where|returning)\b).){40,}?(?= (?:where|returning)\b|$)/gi, "$1 …"],
  [/\b(returning) .{40,}$/gi, "$1 …"],
  [/\((?:[^(),]*,){4,}[^(),]*\)/g, "(…)"],
  [/(\(…\))(?:, \(…\))+/g, "$1, …"],
];

/** Tables of the parts of the post index (post-search/parts.store.ts), which have the same plans. */
export const PART_OF_INDEX = /\bpost_search_\d+/g;

/** A statement on one line, without the parts that do not influence its plan. */
export function shapeOf(sql: string): string {
  const line = sql
    .replace(/--[^\n]*/g, "")
    .replace(/\s+/g, " ")
    .replace(PART_OF_INDEX, "post_search_N")
    .trim();
  const plain = line.replace(/\+(?=[?@:])/g, "");
  return LISTS.reduce((text, [list, instead]) => text.replace(list, instead), plain);
}
