import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { describeRecognized } from "../../catalog/imports/reading/recognized.ts";
import type { ImportSummary, ReasonGroup } from "../../catalog/imports/writing/import-summary.ts";
import { reasonOf, summaryView } from "../../catalog/imports/writing/import-summary.ts";
import type { Output } from "./command-context.ts";
import { CommandExit, EXIT_FAILED, EXIT_INTERRUPTED, usageError } from "./command-context.ts";

/** Values to print, by field; a table shows a list as the number of its items. */
export type Printable = Readonly<Record<string, unknown>>;

/** Prints an object: as a JSON document, or one line per field. */
export function printObject(output: Output, object: Printable, asJson?: boolean): void {
  output.out(objectText(object, asJson));
}

export function objectText(object: Printable, asJson?: boolean): string {
  if (asJson) return JSON.stringify(object);
  const width = Math.max(...Object.keys(object).map((name) => name.length));
  return Object.entries(object)
    .map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`)
    .join("\n");
}

const HEAD = '{"results":[';

/**
 * Prints a list, of which parts are read one after another: as a JSON document `{results}`, or as a table
 * whose columns are as wide as the first part needs.
 */
export async function printList(
  output: Output,
  parts: Iterable<readonly Printable[]> | AsyncIterable<readonly Printable[]>,
  asJson?: boolean,
): Promise<void> {
  let widths: number[] | null = null;
  let isFirst = true;
  for await (const rows of parts) {
    const [first] = rows;
    if (first === undefined) continue;
    if (asJson) {
      output.out(isFirst ? HEAD : ",");
      output.out(rows.map((row) => JSON.stringify(row)).join(",\n"));
    } else {
      const names = Object.keys(first);
      const cells = rows.map((row) => names.map((name) => cellText(row[name] ?? null)));
      const lines = isFirst ? [names, ...cells] : cells;
      widths ??= names.map((_, column) =>
        Math.max(...lines.map((line) => line[column]?.length ?? 0)),
      );
      for (const line of lines) output.out(lineText(line, widths));
    }
    isFirst = false;
  }
  if (asJson) output.out(isFirst ? `${HEAD}]}` : "]}");
  else if (isFirst) output.note("None.");
}

function lineText(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join("  ")
    .trimEnd();
}

/** A list of words as such, any other by how many items it has. */
function cellText(value: unknown): string {
  if (Array.isArray(value)) {
    const isOfWords = value.length > 0 && value.every((item) => typeof item === "string");
    return isOfWords ? forTerminal(value.join(",")) : String(value.length);
  }
  return value === null ? "-" : forTerminal(String(value));
}

/** Makes foreign text safe to print: its control characters would reach the terminal as commands. */
export function forTerminal(text: string): string {
  return text.replace(/\p{Cc}/gu, "�");
}

/** Prompts for a secret on a terminal; otherwise reads a line. @throws CommandExit */
export async function readSecretLine(question: string): Promise<string> {
  const isAsked = process.stdin.isTTY === true;
  const line = await readHiddenLine(isAsked ? question : "");
  if (!isAsked) return line ?? "";
  process.stderr.write("\n");
  if (line === null) throw new CommandExit(EXIT_INTERRUPTED);
  return line;
}

/** Reads one line of standard input without echoing it. Null if the input has ended or was interrupted. */
export function readHiddenLine(question: string): Promise<string | null> {
  // Lets readline edit the line as usual without showing it.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, output, terminal });
  process.stderr.write(question);
  return new Promise<string | null>((resolve) => {
    lines.once("line", (line) => resolve(line));
    lines.once("SIGINT", () => resolve(null));
    lines.once("close", () => resolve(null));
  }).finally(() => lines.close());
}

/**
 * Says what a command is about to do and asks for confirmation.
 * @param warning a sentence such as "This deletes channel 3."
 * @param isConfirmed whether `--yes` was given, so that nobody is asked
 * @throws CommandExit if the answer is not yes, or nobody can be asked
 */
export async function confirm(
  { note }: Output,
  warning: string,
  isConfirmed: boolean,
): Promise<void> {
  note(warning);
  if (isConfirmed) return;
  if (!process.stdin.isTTY) {
    throw usageError(
      "Standard input is not a terminal, so confirmation cannot be asked for: use --yes to confirm. Nothing was changed.",
    );
  }
  const answer = await ask("Continue? [y/N] ");
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandExit(EXIT_FAILED, "Nothing was changed.");
}

/** Empty if the input has ended or was interrupted. */
function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise<string>((resolve) => {
    lines.once("SIGINT", () => resolve(""));
    lines.once("close", () => resolve(""));
    lines.question(question, resolve);
  }).finally(() => lines.close());
}

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
