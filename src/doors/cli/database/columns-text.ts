import { IMPORT_KIND_NAMES, importKinds } from "../../../catalog/imports/kinds/import-kinds.ts";

type ImportKind = (typeof importKinds)[keyof typeof importKinds];

/** The columns of each kind of rows, for a command's help. */
export function columnsText(columnsOf: (kind: ImportKind) => readonly string[]): string {
  const kinds = IMPORT_KIND_NAMES.map(
    (name) => `  ${name.padEnd(12)}${columnsOf(importKinds[name]).join(", ")}\n`,
  );
  return `\nColumns:\n${kinds.join("")}`;
}
