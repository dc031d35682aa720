import type { Output } from "./command-context.ts";

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

/** Prints a list: as a JSON document `{results}`, or as a table. */
export function printList(output: Output, rows: readonly Printable[], asJson?: boolean): void {
  if (asJson) {
    output.out(JSON.stringify({ results: rows }));
    return;
  }
  const [first] = rows;
  if (first === undefined) {
    output.note("None.");
    return;
  }
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => cellText(row[name] ?? null)))];
  const widths = names.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  for (const line of lines) {
    output.out(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }
}

function cellText(value: unknown): string {
  if (Array.isArray(value)) return String(value.length);
  return value === null ? "-" : forTerminal(String(value));
}

/** Makes foreign text safe to print: its control characters would reach the terminal as commands. */
export function forTerminal(text: string): string {
  return text.replace(/\p{Cc}/gu, "�");
}
