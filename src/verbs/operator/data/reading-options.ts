import { FOREIGN_FORMATS } from "../../../catalog/imports/reading/foreign/foreign-formats.ts";
import { FILE_FORMATS } from "../../../catalog/imports/reading/recognized.ts";
import type { ReadingOptions } from "../../../catalog/imports/reading/rows.ts";
import type { Read } from "../../../values/fields.ts";
import { isObject, parseJson } from "../../../values/json-text.ts";
import { message } from "../../../values/messages/messages.ts";
import { MOSCOW_ZONE, zoneNamed } from "../../../values/moscow-time.ts";
import type { Arguments, Parameter } from "../../parameters.ts";
import { choice, flag, text, withDefault } from "../../parameters.ts";

/** How the rows of a file are read: arguments of imports and of sources. */
export const readingOptions = {
  format: choice(FILE_FORMATS as ["csv"], "Format, if neither name nor contents say it."),
  from: choice(FOREIGN_FORMATS as ["telethon"], "The program that exported the file."),
  map: pairs(
    "Our names of the file's columns: a JSON object, or lines such as `Подписчики=subscribers`.",
    '{"Подписчики": "subscribers"}',
    (line) => line.lastIndexOf("="),
  ),
  set: pairs(
    "Cells for columns that the file lacks: a JSON object, or lines such as `category=news`.",
    '{"category": "news"}',
    (line) => line.indexOf("="),
  ),
  sheet: text("An Excel workbook's sheet; the first one by default."),
  ignore_unknown: withDefault(flag("Ignore columns that are not known."), false),
  timezone: timezone(),
  strict: withDefault(flag("Reject a row with a bad cell instead of dropping the cell."), false),
};

/** A column with an empty name is left out, as one that is not known. */
export function readingOf(given: Arguments<typeof readingOptions>): ReadingOptions {
  const names = Object.entries(given.map ?? {});
  const named = names.filter(([, ours]) => ours !== "");
  return {
    format: given.format ?? null,
    from: given.from ?? null,
    map: Object.fromEntries(named),
    ignoreUnknown: given.ignore_unknown || named.length < names.length,
    ...(given.set !== undefined && { set: given.set }),
    ...(given.sheet !== undefined && { sheet: given.sheet }),
  };
}

/** @param signAt where a line that somebody typed has the sign between name and value; negative without one */
function pairs(
  description: string,
  example: string,
  signAt: (line: string) => number,
): Parameter<Record<string, string>> {
  return {
    ...(text(description, { example }) as Parameter<never>),
    isLines: true,
    read(given) {
      const typed = String(given).trim();
      if (!typed.startsWith("{")) return readLines(typed, signAt);
      const map = parseJson(Buffer.from(typed));
      const isMap = isObject(map) && Object.values(map).every((value) => typeof value === "string");
      return isMap
        ? { value: map as Record<string, string> }
        : { fault: message("notColumnNames") };
    },
  };
}

function readLines(typed: string, signAt: (line: string) => number): Read<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const line of typed.split("\n").filter((one) => one.trim() !== "")) {
    const at = Math.max(0, signAt(line));
    const [name, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    if (name === "") return { fault: message("notColumnNames") };
    const other = found[name] ?? value;
    if (other !== value) return { fault: message("namedTwice", { name, other, value }) };
    found[name] = value;
  }
  return { value: found };
}

function timezone(): Parameter<string> & { default: string } {
  const name = text("IANA name of the time zone of times without an offset.", {
    example: "Asia/Omsk",
  });
  return withDefault(
    {
      ...name,
      read(given) {
        const read = name.read(given);
        if ("fault" in read) return read;
        const zone = zoneNamed(read.value);
        return zone === null ? { fault: message("notTimeZone") } : { value: zone };
      },
    },
    MOSCOW_ZONE,
  );
}
