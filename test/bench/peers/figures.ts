/** One line of the table: a ratio of this run or an absolute figure, beside what is to be reached. */
export interface Figure {
  part: string;
  name: string;
  value: number;
  unit: "" | "ms" | "s" | "MB";
  /** What the value must not be under, or over; neither where it only informs. */
  least?: number;
  most?: number;
  /** Of Kanalog's own answers, with one client. */
  p50Ms?: number;
  p99Ms?: number;
  /** Of Kanalog's own: answers over sixteen connections, or rows imported. */
  perSecond?: number;
  note?: string;
}

export type Verdict = "ok" | "short" | "";

export function verdict({ value, least, most }: Figure): Verdict {
  if (least === undefined && most === undefined) return "";
  const isShort =
    (least !== undefined && !(value >= least)) || (most !== undefined && !(value <= most));
  return isShort ? "short" : "ok";
}

export function table(figures: readonly Figure[]): string {
  const header = ["", "value", "to reach", "", "p50 ms", "p99 ms", ""];
  const rows = figures.map((figure) => [
    `${figure.part}: ${figure.name}`,
    `${digits(figure.value)}${figure.unit === "" ? "" : ` ${figure.unit}`}`,
    target(figure),
    verdict(figure),
    figure.p50Ms === undefined ? "" : digits(figure.p50Ms),
    figure.p99Ms === undefined ? "" : digits(figure.p99Ms),
    figure.note ?? "",
  ]);
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  return [header, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function target({ least, most, unit }: Figure): string {
  if (least !== undefined) return `>= ${least}`;
  return most === undefined ? "" : `<= ${most}${unit === "" ? "" : ` ${unit}`}`;
}

function digits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
