import { type Command, Option } from "commander";
import {
  FOREIGN_FORMATS,
  type ForeignFormatName,
} from "../../../catalog/imports/reading/foreign/foreign-formats.ts";
import { FILE_FORMATS, type FileFormat } from "../../../catalog/imports/reading/recognized.ts";
import type { ReadingOptions } from "../../../catalog/imports/reading/rows.ts";
import { MOSCOW_ZONE } from "../../../values/moscow-time.ts";
import { choiceOption, parseTimezone } from "../arguments.ts";
import { addToMap, type ColumnMap, readMapFile } from "./column-map.ts";

/** The options as given. */
export interface FileReading {
  format?: FileFormat;
  from?: ForeignFormatName;
  map: ColumnMap;
  mapFile?: ColumnMap;
  ignoreUnknown?: boolean;
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
  };
}

/** Adds the options for reading a file's rows, which importing commands share. */
export function withReadingOptions(command: Command): Command {
  return command
    .addOption(
      choiceOption("--format <format>", "format, where the name does not tell it", FILE_FORMATS),
    )
    .addOption(
      choiceOption("--from <program>", "the file is an export of that program", FOREIGN_FORMATS),
    )
    .addOption(
      new Option("--map <theirs=ours>", "a column of the file has another name; repeatable")
        .argParser(addToMap)
        .default({}, "none"),
    )
    .addOption(
      new Option(
        "--map-file <file>",
        "names of columns as a JSON object, theirs to ours",
      ).argParser(readMapFile),
    )
    .option("--ignore-unknown", "leave out columns that nothing takes")
    .addOption(
      new Option("--timezone <zone>", "IANA name of the zone of times without an offset")
        .argParser(parseTimezone)
        .default(MOSCOW_ZONE),
    )
    .option("--strict", "reject a row for any bad cell, in place of leaving the cell out");
}
