/** One row of the table: a ratio or an absolute figure, and its target. */
export interface Figure {
  part: string;
  name: string;
  value: number;
  unit: "" | "ms" | "s" | "MB";
  /** Lower or upper target; neither if the figure is only information. */
  least?: number;
  most?: number;
  /** Of Kanalog's answers, with one client. */
  p50Ms?: number;
  p99Ms?: number;
  /** Kanalog's answers over many connections, or rows imported, per second. */
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
  const header = ["", "value", "target", "", "p50 ms", "p99 ms", ""];
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
