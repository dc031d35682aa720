import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { IMPORT_KIND_NAMES, importKinds } from "../../../catalog/imports/kinds/import-kinds.ts";
import type { ForeignFormatName } from "../../../catalog/imports/reading/foreign/foreign-formats.ts";
import type { FileFormat } from "../../../catalog/imports/reading/recognized.ts";
import type { ReadingOptions } from "../../../catalog/imports/reading/rows.ts";
import { isObject, parseJson } from "../../../values/json-text.ts";
import { readingOptions } from "../../../verbs/operator/data/reading-options.ts";
import type { Parameter } from "../../../verbs/parameters.ts";
import { optionOf } from "../resource-command.ts";

export interface FileReading {
  format?: FileFormat;
  from?: ForeignFormatName;
  map: ColumnMap;
  mapFile?: ColumnMap;
  ignoreUnknown?: boolean;
  set: ColumnMap;
  sheet?: string;
  timezone: string;
  strict?: boolean;
}

export function readingOf(options: FileReading): ReadingOptions {
  return {
    format: options.format ?? null,
    from: options.from ?? null,
    map: { ...options.mapFile, ...options.map },
    ignoreUnknown: options.ignoreUnknown === true,
    set: options.set,
    sheet: options.sheet ?? null,
  };
}

/** Adds the options for reading a file's rows, which `import` and `source add` share. */
export function withReadingOptions(command: Command): Command {
  // Names of columns come one by one here, and as one text in the API.
  const { map: _, ...declared } = readingOptions;
  for (const [name, parameter] of Object.entries<Parameter<unknown>>(declared))
    command.addOption(optionOf(name, parameter).default(parameter.default));
  return command
    .addOption(
      new Option(
        "--map <theirs=ours>",
        "import a column of the file under our name for it; repeatable",
      )
        .argParser(addToMap)
        .default({}, "none"),
    )
    .option(
      "--map-file <file>",
      "a JSON object that maps the file's column names to ours",
      readMapFile,
    )
    .option("--sheet <name>", "an Excel workbook's sheet; the first one by default")
    .addOption(
      new Option("--set <column=value>", "a cell for a column that the file lacks; repeatable")
        .argParser(addToSet)
        .default({}, "none"),
    );
}

/** Our name for each of a file's columns, by the file's name for it. */
type ColumnMap = Readonly<Record<string, string>>;

/** Adds `Theirs=ours` to the names of earlier options. @throws InvalidArgumentError */
function addToMap(given: string, before: ColumnMap): ColumnMap {
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
function addToSet(given: string, before: ColumnMap): ColumnMap {
  const at = given.indexOf("=");
  const column = given.slice(0, Math.max(0, at)).trim();
  if (column === "") {
    throw new InvalidArgumentError('Give it as "column=value", such as "category=news".');
  }
  return { ...before, [column]: given.slice(at + 1) };
}

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
