/** A line over days, for charts, sparklines and pictures. */

export interface Reading {
  /** Number of the Moscow day. */
  day: number;
  value: number;
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Line {
  /** Path of the line. A day without a reading is a gap; a reading between two gaps is a dot. */
  line: string;
  /** Path of the area below it. */
  area: string;
  low: number;
  high: number;
}

/** Draws readings into a box, from the first to the last day. Null for fewer than two readings. */
export function lineOf(readings: readonly Reading[], box: Box): Line | null {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined || first.day === last.day) return null;
  const values = readings.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (day: number) =>
    rounded(box.left + ((day - first.day) * box.width) / (last.day - first.day));
  const y = (value: number) => {
    const part = low === high ? 0.5 : (high - value) / (high - low);
    return rounded(box.top + part * box.height);
  };
  const runs: Reading[][] = [];
  for (const reading of readings) {
    const run = runs.at(-1);
    if (run?.at(-1)?.day === reading.day - 1) run.push(reading);
    else runs.push([reading]);
  }
  const pathOf = (run: Reading[]) =>
    `M${run.map(({ day, value }) => `${x(day)} ${y(value)}`).join("L")}`;
  const bottom = box.top + box.height;
  return {
    line: runs.map((run) => (run.length === 1 ? `${pathOf(run)}h0` : pathOf(run))).join(""),
    area: runs
      .filter((run) => run.length > 1)
      .map((run) => `${pathOf(run)}V${bottom}H${x(run[0]?.day ?? 0)}Z`)
      .join(""),
    low,
    high,
  };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
