import type { Language, Message } from "../../../values/messages/messages.ts";
import { inLanguage, message } from "../../../values/messages/messages.ts";
import type { ForeignFormatName } from "./foreign/foreign-formats.ts";

export type ImportFormat = "csv" | "ndjson";
export const IMPORT_FORMATS: readonly ImportFormat[] = ["csv", "ndjson"];

/** Formats that can be read; a single JSON document is never written. */
export type FileFormat = ImportFormat | "json";
export const FILE_FORMATS: readonly FileFormat[] = [...IMPORT_FORMATS, "json"];

/** How a file's text is packed; an Excel workbook is read as CSV. */
export type Compression = "gzip" | "zstd" | "xlsx";
export type Encoding = "UTF-8" | "UTF-16" | "Windows-1251";
export type Separator = "," | ";" | "\t";

/** How a file was read: plain data, filled in on the way, for the summary and the site. */
export interface Recognized {
  compression: Compression | null;
  encoding: Encoding | null;
  format: FileFormat | null;
  separator: Separator | null;
  /** The program that wrote the file, if it is not in one of our own formats. */
  from: ForeignFormatName | null;
  /** The file's column names by ours, where they differ. */
  renamed: Record<string, string>;
  /** The file's unknown columns, with `--ignore-unknown`; the first hundred. */
  ignored: string[];
  timezone: string;
}

export function nothingRecognized(timezone: string): Recognized {
  return {
    compression: null,
    encoding: null,
    format: null,
    separator: null,
    from: null,
    renamed: {},
    ignored: [],
    timezone,
  };
}

/** Describes to people how a file was read, in some lines; none if it was not recognized. */
export function describeRecognized(language: Language, recognized: Recognized): string[] {
  const { format, encoding, timezone, renamed, ignored } = recognized;
  if (format === null || encoding === null) return [];
  const { separator, compression, from } = recognized;
  const lines = [
    message("recognizedFile", { format, separator, encoding, compression, from, timezone }),
  ];
  const names = Object.entries(renamed).map(([ours, theirs]) => `${theirs} = ${ours}`);
  if (names.length > 0) lines.push(message("recognizedNames", { names }));
  if (ignored.length > 0) lines.push(message("ignoredColumns", { columns: ignored }));
  return lines.map((line) => inLanguage(language, line));
}

/** A row's fields by column. In CSV all are texts, and empty cells are absent. */
export type Fields = Record<string, unknown>;

export type InputRow = { line: number; fields: Fields } | { line: number; fault: Message };

/** Longest line, beyond any sensible row: a file without line breaks must not fill the memory. */
export const LINE_LENGTH_MAX = 4 * 1024 * 1024;
