import type { Measured } from "./measure.ts";
import { verdictOf } from "./promise.ts";

const HEADER = [
  "neighbour",
  "quiet p50/p99",
  "beside p50/p99",
  "ratio",
  "wait for a processor",
  "503",
  "late",
  "other",
  "",
];

/** All rows as a Markdown table. */
export function table(measured: readonly Measured[]): string {
  const rows = [HEADER, HEADER.map(() => "---"), ...measured.map(cells)];
  return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** A row as one line, printed when it has ended. */
export function line(measured: Measured): string {
  return cells(measured).join("  ");
}

function cells(measured: Measured): string[] {
  const { quiet, beside, waitedMs, unavailable, timeouts, others, broken } = verdictOf(measured);
  const result = broken.length === 0 ? "kept" : `**broken: ${broken.join("; ")}**`;
  return [
    `${measured.name}: ${measured.does}`,
    `${digits(quiet.p50Ms)} / ${digits(quiet.p99Ms)} ms`,
    `${digits(beside.p50Ms)} / ${digits(beside.p99Ms)} ms`,
    digits(beside.p99Ms / quiet.p99Ms),
    `${digits(waitedMs.quiet)} / ${digits(waitedMs.beside)} ms`,
    ...[unavailable, timeouts, others].map(String),
    [result, ...measured.notes].join("; "),
  ];
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
