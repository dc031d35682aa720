import { type Command, Option } from "commander";
import {
  FOREIGN_FORMATS,
  type ForeignFormatName,
} from "../../../catalog/imports/reading/foreign/foreign-formats.ts";
import { FILE_FORMATS, type FileFormat } from "../../../catalog/imports/reading/recognized.ts";
import type { ReadingOptions } from "../../../catalog/imports/reading/rows.ts";
import { MOSCOW_ZONE } from "../../../values/moscow-time.ts";
import { choiceOption, parseTimezone } from "../arguments.ts";
import { addToMap, addToSet, type ColumnMap, readMapFile } from "./column-map.ts";

/** The options as given. */
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

/** How to read the rows, according to the options. */
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
  return command
    .addOption(
      choiceOption("--format <format>", "format, if the file's name does not say it", FILE_FORMATS),
    )
    .addOption(
      choiceOption("--from <program>", "the program that exported the file", FOREIGN_FORMATS),
    )
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
    .option("--ignore-unknown", "ignore columns that are not known")
    .addOption(
      new Option("--set <column=value>", "a cell for a column that the file lacks; repeatable")
        .argParser(addToSet)
        .default({}, "none"),
    )
    .option(
      "--timezone <zone>",
      "IANA name of the time zone of times without an offset",
      parseTimezone,
      MOSCOW_ZONE,
    )
    .option("--strict", "reject a row with a bad cell instead of dropping the cell");
}
