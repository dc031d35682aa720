import { FOREIGN_FORMATS } from "../../../catalog/imports/reading/foreign/foreign-formats.ts";
import { FILE_FORMATS } from "../../../catalog/imports/reading/recognized.ts";
import type { ReadingOptions } from "../../../catalog/imports/reading/rows.ts";
import { isObject, parseJson } from "../../../values/json-text.ts";
import { message } from "../../../values/messages/messages.ts";
import { MOSCOW_ZONE, zoneNamed } from "../../../values/moscow-time.ts";
import {
  type Arguments,
  choice,
  flag,
  type Parameter,
  text,
  withDefault,
} from "../../parameters.ts";

/** How the rows of a file are read: arguments of imports and of sources. */
export const readingOptions = {
  format: choice(FILE_FORMATS as ["csv"], "Format, if neither name nor contents say it."),
  from: choice(FOREIGN_FORMATS as ["telethon"], "The program that exported the file."),
  map: columnMap(),
  ignore_unknown: withDefault(flag({ description: "Ignore columns that are not known." }), false),
  timezone: timezone(),
  strict: withDefault(
    flag({ description: "Reject a row with a bad cell instead of dropping the cell." }),
    false,
  ),
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
  };
}

function columnMap(): Parameter<Record<string, string>> {
  const names = text({
    description:
      "Our names of the file's columns: a JSON object, or lines such as `Подписчики=subscribers`.",
    example: '{"Подписчики": "subscribers"}',
  });
  return {
    ...(names as Parameter<never>),
    isLines: true,
    read(given) {
      const typed = String(given).trim();
      const map = typed.startsWith("{") ? parseJson(Buffer.from(typed)) : linesOf(typed);
      const isMap = isObject(map) && Object.values(map).every((ours) => typeof ours === "string");
      return isMap
        ? { value: map as Record<string, string> }
        : { fault: message("notColumnNames") };
    },
  };
}

/** Names as people type them, one a line; null if a line names no column. */
function linesOf(text: string): Record<string, string> | null {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line) => {
    const at = Math.max(0, line.lastIndexOf("="));
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const;
  });
  return pairs.some(([theirs]) => theirs === "") ? null : Object.fromEntries(pairs);
}

function timezone(): Parameter<string> & { default: string } {
  const name = text({
    description: "IANA name of the time zone of times without an offset.",
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
