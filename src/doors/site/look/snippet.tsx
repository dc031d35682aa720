/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";

/**
 * The marks of messengers, and where a link leads: a snippet may begin or end between two of a pair, so
 * that they are left out instead of being drawn.
 */
const MARKUP = /\*\*|~~|```|(?<!\w)__|__(?!\w)|\[(?=[^\][\n]+\]\()|\]\([^)\s]*(?:\)|$)/g;

type Place = readonly number[];

/** A part of a post with its matches marked; places are counted in code points. */
export function Snippet({
  snippet,
  highlights,
}: {
  snippet: string;
  highlights: readonly Place[];
}): JSX.Element {
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

/** Gives parts of the snippet; markup that holds a match is shown, so that the match is. */
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
