import { readFileSync } from "node:fs";
import { InvalidArgumentError } from "commander";
import { IMPORT_KIND_NAMES, importKinds } from "../../../catalog/imports/kinds/import-kinds.ts";
import { isObject, parseJson } from "../../../values/json-text.ts";

/** Our name for each of a file's columns, by the file's name for it. */
export type ColumnMap = Readonly<Record<string, string>>;

/** Adds `Theirs=ours` to the names of earlier options. @throws InvalidArgumentError */
export function addToMap(given: string, before: ColumnMap): ColumnMap {
  const at = given.lastIndexOf("=");
  const theirs = given.slice(0, Math.max(0, at)).trim();
  const ours = given.slice(at + 1).trim();
  if (theirs === "" || ours === "") {
    throw new InvalidArgumentError('Give it as "Theirs=ours", such as "Подписчики=subscribers".');
  }
  const other = before[theirs] ?? ours;
  if (other !== ours) {
    throw new InvalidArgumentError(`"${theirs}" cannot be both ${other} and ${ours}.`);
  }
  return { ...before, [theirs]: ours };
}

/** Adds `column=value` to those of earlier options; the value may be empty. @throws InvalidArgumentError */
export function addToSet(given: string, before: ColumnMap): ColumnMap {
  const at = given.indexOf("=");
  const column = given.slice(0, Math.max(0, at)).trim();
  if (column === "") {
    throw new InvalidArgumentError('Give it as "column=value", such as "category=news".');
  }
  return { ...before, [column]: given.slice(at + 1) };
}

/** Reads a JSON object that maps their names to ours. @throws InvalidArgumentError */
export function readMapFile(path: string): ColumnMap {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch {
    throw new InvalidArgumentError(`The file ${path} cannot be read.`);
  }
  const map = parseJson(bytes);
  if (!isObject(map) || !Object.values(map).every((ours) => typeof ours === "string")) {
    throw new InvalidArgumentError(
      `${path} is not a JSON object of names, such as {"Подписчики": "subscribers"}.`,
    );
  }
  return map as ColumnMap;
}

type ImportKind = (typeof importKinds)[keyof typeof importKinds];

/** The columns of each kind of rows, for a command's help. */
export function columnsText(columnsOf: (kind: ImportKind) => readonly string[]): string {
  const kinds = IMPORT_KIND_NAMES.map(
    (name) => `  ${name.padEnd(12)}${columnsOf(importKinds[name]).join(", ")}\n`,
  );
  return `\nColumns:\n${kinds.join("")}`;
}
