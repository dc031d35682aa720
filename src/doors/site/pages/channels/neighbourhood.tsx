/** @jsxImportSource hono/jsx */
import type { Neighbour } from "../../../../catalog/mentions/mention.ts";

const WIDTH = 560;
const ROW_HEIGHT = 26;
/** Width of the names on each side, where the lines begin and end. */
const SIDE = 184;
const MIDDLE = WIDTH / 2;
const RADIUS = 44;
/** Characters of a name that fit, at the size that a phone needs. */
const NAME_MAX = 16;
/** Characters that fit in the circle. */
const OWN_MAX = 8;
const LINE_MAX = 7;

interface Picture {
  title: string;
  from: readonly Neighbour[];
  to: readonly Neighbour[];
}

/**
 * A channel between those that mention it, on the left, and those it mentions. The tables beside it tell
 * screen readers the same. Nothing if there are none.
 */
export function Neighbourhood({ title, from, to }: Picture) {
  if (from.length + to.length === 0) return null;
  const height = Math.max(from.length, to.length, 4) * ROW_HEIGHT;
  // An empty side takes no space.
  const left = from.length > 0 ? 0 : MIDDLE - RADIUS;
  const right = to.length > 0 ? WIDTH : MIDDLE + RADIUS;
  const most = Math.max(...[...from, ...to].map(({ posts }) => posts));
  const line = (posts: number) => (1 + ((LINE_MAX - 1) * posts) / most).toFixed(1);
  const y = (at: number, of: number) => (height * (at + 0.5)) / of;
  return (
    <svg
      class={right - left < WIDTH ? "neighbourhood half" : "neighbourhood"}
      viewBox={`${left} 0 ${right - left} ${height}`}
      aria-hidden="true"
    >
      {from.map(({ posts }, at) => (
        <path
          d={curve(SIDE, y(at, from.length), MIDDLE - RADIUS, height / 2)}
          stroke-width={line(posts)}
        />
      ))}
      {to.map(({ posts }, at) => (
        <path
          d={curve(MIDDLE + RADIUS, height / 2, WIDTH - SIDE, y(at, to.length))}
          stroke-width={line(posts)}
        />
      ))}
      {from.map((one, at) => (
        <text x={SIDE - 8} y={y(at, from.length) + 5} text-anchor="end">
          {shortName(one)}
        </text>
      ))}
      {to.map((one, at) => (
        <text x={WIDTH - SIDE + 8} y={y(at, to.length) + 5}>
          {shortName(one)}
        </text>
      ))}
      <circle cx={MIDDLE} cy={height / 2} r={RADIUS} />
      <text class="own" x={MIDDLE} y={height / 2 + 5} text-anchor="middle">
        {cut(title, OWN_MAX)}
      </text>
    </svg>
  );
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const half = (x1 + x2) / 2;
  return `M${x1} ${y1}C${half} ${y1} ${half} ${y2} ${x2} ${y2}`;
}

function shortName({ handle, title }: Neighbour): string {
  return cut(handle === null ? title : `@${handle}`, NAME_MAX);
}

function cut(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}
