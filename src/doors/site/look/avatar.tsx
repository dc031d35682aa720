/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";

const TINTS = 6;
const LETTERS = 2;

/**
 * A channel's initials in one of the chart's colours. Its picture is elsewhere: to load it would tell
 * that host who looks at whom.
 */
export function Avatar({
  id,
  title,
  isLarge = false,
}: {
  id: number;
  title: string;
  isLarge?: boolean;
}): JSX.Element {
  return (
    <span class={`avatar tint-${id % TINTS}${isLarge ? " large" : ""}`} aria-hidden="true">
      {initialsOf(title)}
    </span>
  );
}

/** The first letters of the first two words; a number sign for a title without any. */
function initialsOf(title: string): string {
  const words = title.match(/[\p{L}\p{N}]+/gu) ?? ["#"];
  const letters = words.slice(0, LETTERS).map((word) => [...word][0] ?? "");
  return letters.join("").toUpperCase();
}
