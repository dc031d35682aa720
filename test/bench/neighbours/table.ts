import type { Measured } from "./measure.ts";

const HEADER = [
  "neighbour",
  "quiet p50/p99",
  "beside p50/p99",
  "ratio",
  "503",
  "late",
  "other",
  "",
];

/** As Markdown, for notes. */
export function table(measured: readonly Measured[]): string {
  const rows = [HEADER, HEADER.map(() => "---"), ...measured.map(cells)];
  return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function cells(row: Measured): string[] {
  const { quiet, beside, broken, notes } = row;
  const said = [
    ...(broken.length > 0 ? [`**broken: ${broken.join("; ")}**`] : ["holds"]),
    ...notes,
  ];
  return [
    `${row.name}: ${row.does}`,
    `${digits(quiet.p50Ms)} / ${digits(quiet.p99Ms)} ms`,
    `${digits(beside.p50Ms)} / ${digits(beside.p99Ms)} ms`,
    digits(beside.p99Ms / quiet.p99Ms),
    ...[row.unavailable, row.timeouts, row.others].map(String),
    said.join("; "),
  ];
}

/** A row in one line, as it ends. */
export function line(row: Measured): string {
  return cells(row).join("  ");
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
