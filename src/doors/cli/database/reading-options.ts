import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import { IMPORT_KIND_NAMES, importKinds } from "../../../catalog/imports/kinds/import-kinds.ts";
import type { ReadingOptions } from "../../../catalog/imports/reading/rows.ts";
import { isObject, parseJson } from "../../../values/json-text.ts";
import { readingOf, readingOptions } from "../../../verbs/operator/data/reading-options.ts";
import type { Arguments } from "../../../verbs/parameters.ts";
import { withOptions } from "../resource-command.ts";

/** The map file, an option of commands only: the API cannot read a file that is named. */
export interface MapFile {
  mapFile?: ColumnMap;
}

/** How a file is read; columns of `--map` win over those of the map file. */
export function readingWithMapFile(
  args: Arguments<typeof readingOptions>,
  { mapFile }: MapFile,
): ReadingOptions {
  return readingOf({ ...args, map: { ...mapFile, ...args.map } });
}

/** Adds the options for reading a file's rows, which `import` and `source add` share. */
export function withReadingOptions(command: Command): Command {
  return withOptions(command, readingOptions).option(
    "--map-file <file>",
    "a JSON object that maps the file's column names to ours",
    readMapFile,
  );
}

/** Our name for each of a file's columns, by the file's name for it. */
type ColumnMap = Readonly<Record<string, string>>;

/** Reads a JSON object that maps their names to ours. @throws InvalidArgumentError */
function readMapFile(path: string): ColumnMap {
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
