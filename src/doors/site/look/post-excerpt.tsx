/** @jsxImportSource hono/jsx */

/**
 * The messengers' marks, and link targets: a snippet may begin or end between a pair of marks, so they are
 * removed instead of rendered. The bracket of a link whose text the snippet's end cuts off is removed too.
 */
const MARKUP =
  /\*\*|~~|```|(?<!\w)__|__(?!\w)|\[(?=[^\][\n]+\]\(|[^\][\n]*…$)|\]\([^)\s]*(?:\)|$)/g;

type Place = readonly number[];

/** A post's text without its markup, for tables. @param text may be cut, with an ellipsis at its end */
export const withoutMarks = (text: string): string => text.replace(MARKUP, "");

/** Excerpt of a post with its matches marked; positions are in code points. */
export function PostExcerpt({
  snippet,
  highlights,
}: {
  snippet: string;
  highlights: readonly Place[];
}) {
  const shown = withoutMarkup(snippet, highlights);
  const ends = [0, ...highlights.map(([, end = 0]) => end)];
  return (
    <p class="text">
      <bdi>
        {highlights.map(([start = 0, end = 0], at) => (
          <>
            {shown(ends[at] ?? 0, start)}
            <mark>{shown(start, end)}</mark>
          </>
        ))}
        {shown(ends.at(-1) ?? 0)}
      </bdi>
    </p>
  );
}

/** Yields parts of the snippet; markup that contains a match is kept, so that the match is visible. */
function withoutMarkup(snippet: string, highlights: readonly Place[]) {
  const hidden = new Set<number>();
  for (const { index, 0: markup } of snippet.matchAll(MARKUP)) {
    const start = [...snippet.slice(0, index)].length;
    const end = start + [...markup].length;
    const isMatched = highlights.some(([from = 0, until = 0]) => from < end && until > start);
    for (let at = start; at < end && !isMatched; at++) hidden.add(at);
  }
  const points = [...snippet].map((point, at) => (hidden.has(at) ? "" : point));
  return (from: number, until?: number): string => points.slice(from, until).join("");
}
