/** @jsxImportSource hono/jsx */

const WIDTH = 88;
const HEIGHT = 24;
/** Margin for the width of the line. */
const MARGIN = 2;

/** A line without axes; the number beside it tells screen readers the same. Nothing for a single value. */
export function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const low = Math.min(...values);
  const high = Math.max(...values);
  const x = (at: number) => MARGIN + Math.round((at * (WIDTH - 2 * MARGIN)) / (values.length - 1));
  const y = (value: number) =>
    low === high
      ? HEIGHT / 2
      : Math.round(HEIGHT - MARGIN - ((value - low) * (HEIGHT - 2 * MARGIN)) / (high - low));
  const points = values.map((value, at) => `${x(at)} ${y(value)}`);
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={`M${points.join("L")}`} />
    </svg>
  );
}
