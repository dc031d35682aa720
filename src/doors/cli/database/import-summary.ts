import { describeRecognized } from "../../../catalog/imports/reading/recognized.ts";
import {
  type ImportSummary,
  type ReasonGroup,
  reasonOf,
  summaryView,
} from "../../../catalog/imports/writing/import-summary.ts";
import type { Output } from "../command-context.ts";

/** Prints the summary as one JSON document or as text, and notes why rows were rejected or cells dropped. */
export function printSummary(output: Output, summary: ImportSummary, asJson?: boolean): void {
  output.out(asJson ? JSON.stringify(summaryView(summary)) : describeSummary(summary));
  for (const reason of describeReasons(summary)) output.note(reason);
}

/** The summary as text: what became of the rows, and how the file was read. */
function describeSummary(summary: ImportSummary): string {
  const { read, inserted, updated, unchanged, rejected, removed, handles_moved, seconds } = summary;
  const { kept_out: keptOut } = summary;
  const rate = seconds > 0 ? `, ${Math.round(read / seconds)} rows/s` : "";
  return (
    `${read} read: ${inserted} inserted, ${updated} updated, ${unchanged} unchanged, ` +
    `${rejected} rejected${removed === undefined ? "" : `, ${removed} removed`}` +
    `${handles_moved === undefined ? "" : `, ${handles_moved} handles moved`}` +
    `${keptOut === 0 ? "" : `, ${keptOut} of deleted or merged channels kept out`} ` +
    `(${seconds.toFixed(1)} s${rate})\n${describeRecognized("en", summary.recognized).join("\n")}`
  );
}

/** One line for each reason for rejecting rows or dropping cells, however many there were. */
function describeReasons({ rejects, warnings }: ImportSummary): string[] {
  return [
    ...rejects.map((group) => describeGroup("rejected", group)),
    ...warnings.map((group) => describeGroup("warning", group)),
  ];
}

function describeGroup(word: string, group: ReasonGroup): string {
  const { column, count, line, value } = group;
  const where =
    line === null ? "" : ` (${count} x, line ${line}${value === null ? "" : `: ${value}`})`;
  return `${word}: ${column === null ? "" : `${column}: `}${reasonOf("en", group)}${where}`;
}
