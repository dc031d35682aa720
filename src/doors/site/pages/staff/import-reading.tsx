/** @jsxImportSource hono/jsx */
import type { ImportKindName } from "../../../../catalog/imports/kinds/import-kinds.ts";
import { FOREIGN_FORMATS } from "../../../../catalog/imports/reading/foreign/foreign-formats.ts";
import type { ReadingOptions } from "../../../../catalog/imports/reading/rows.ts";
import { AppError } from "../../../../errors.ts";
import { MOSCOW_ZONE, zoneNamed } from "../../../../values/moscow-time.ts";
import { cutFaults } from "../../forms/cut-text.ts";
import { pageFault } from "../../forms/faults.ts";
import { CheckField, SelectField, TextAreaField, TextField } from "../../look/form.tsx";
import { told } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import type { Visit } from "../../visit/visit.ts";

/** Options for reading an uploaded file: those of `kanalog import`, seldom needed. */
export function ReadingFields() {
  const visit = useVisit();
  const words = visit.words.importPages;
  return (
    <details open={visit.faults["map"] !== undefined || visit.faults["timezone"] !== undefined}>
      <summary>{words.reading}</summary>
      <SelectField
        name="from"
        label={words.from}
        value=""
        options={[
          { value: "", label: words.ownColumns },
          ...FOREIGN_FORMATS.map((value) => ({ value, label: value })),
        ]}
      />
      <TextAreaField name="map" label={words.map} hint={words.mapHint} rows={6} required={false} />
      <CheckField name="ignore_unknown" label={words.ignoreUnknown} />
      <TextField
        name="timezone"
        label={words.timezone}
        hint={words.timezoneHint}
        value={MOSCOW_ZONE}
        required={false}
      />
      <CheckField name="strict" label={words.strict} hint={words.strictHint} />
    </details>
  );
}

/** Most columns that the form lists. */
const TO_NAME_MAX = 100;

/**
 * The form again, listing the header's unknown columns, one per line with a guess, to be named or left out;
 * null for any other error.
 */
export function withColumnsToName(kind: ImportKindName, error: unknown): Visit | null {
  const visit = useVisit();
  if (!(error instanceof AppError) || error.publicMessage.code !== "unknownColumnsInHeader")
    return null;
  const { form } = visit;
  const words = visit.words.importPages;
  const names = error.publicMessage.values.unknown.slice(0, TO_NAME_MAX).map(String);
  const guessed = guessColumns(kind, names, Object.values(readMap().map));
  const lines = names.map((name, at) => `${name}=${guessed[at]}`);
  const map = [form.get("map").trim(), ...lines].join("\n").trim();
  return {
    ...visit,
    form: { ...form, get: (name) => (name === "map" ? map : form.get(name)) },
    faults: {
      file: [words.nameColumns],
      ...cutFaults({ map: [told(error.publicMessage), words.rowNeeds[kind]] }),
    },
  };
}

/** Our column names by the file's; columns without a name are left out. */
interface ColumnMap {
  map: Record<string, string>;
  hasLeftOut: boolean;
}

/** @throws AppError `invalid` on `map` */
export function readMap(): ColumnMap {
  const { form, words } = useVisit();
  const pairs: [string, string][] = [];
  let hasLeftOut = false;
  for (const line of form.get("map").split("\n")) {
    if (line.trim() === "") continue;
    const at = line.lastIndexOf("=");
    const theirs = line.slice(0, Math.max(0, at)).trim();
    const ours = line.slice(at + 1).trim();
    if (theirs === "") throw pageFault("map", words.importPages.wrongMap);
    if (ours === "") hasLeftOut = true;
    else pairs.push([theirs, ours]);
  }
  return { map: Object.fromEntries(pairs), hasLeftOut };
}

/** The form's options for reading a file, including its column names. */
export function readingOf({ map, hasLeftOut }: ColumnMap): ReadingOptions {
  const { form } = useVisit();
  return {
    format: null,
    map,
    ignoreUnknown: hasLeftOut || form.isChecked("ignore_unknown"),
    from: FOREIGN_FORMATS.find((name) => name === form.get("from")) ?? null,
  };
}

/** @throws AppError `invalid` on `timezone` */
export function readTimezone(): string {
  const { form, words } = useVisit();
  const given = form.get("timezone").trim();
  const zone = given === "" ? MOSCOW_ZONE : zoneNamed(given);
  if (zone === null) throw pageFault("timezone", words.importPages.noZone);
  return zone;
}

const CHANNEL = ["канал", "ссылк", "юзернейм", "username", "channel", "url"];
const SUBSCRIBERS = ["подписч", "участник", "members", "followers"];
const VIEWS = ["просмотр", "views"];
const POSTS = ["пост", "публикац"];
const DAY = ["дат", "день", "date"];

/** Prefixes of names that people give columns, in either language; the first match counts. */
const PREFIXES: Partial<Record<ImportKindName, Record<string, readonly string[]>>> = {
  channels: {
    title: ["назв", "имя", "name"],
    handle: CHANNEL,
    subscribers: SUBSCRIBERS,
    category: ["катег", "темат", "тема", "topic"],
    territory: ["террит", "регион", "город", "region", "city"],
    description: ["описан", "about"],
  },
  stats: { channel: CHANNEL, day: DAY, subscribers: SUBSCRIBERS, views: VIEWS, posts: POSTS },
  posts: {
    msgr_post_id: ["post_id", "message_id", "id пост", "номер"],
    channel: CHANNEL,
    published_at: [...DAY, "врем", "опублик"],
    text: ["текст", "сообщ", "text", "message"],
    views: VIEWS,
  },
};

/**
 * Guesses a kind's columns from a file's own names, for a person to check; empty where nothing matches.
 * @param taken columns that other names already stand for
 */
function guessColumns(
  kind: ImportKindName,
  names: readonly string[],
  taken: readonly string[],
): string[] {
  const left = new Map(Object.entries(PREFIXES[kind] ?? {}));
  for (const column of taken) left.delete(column);
  return names.map((name) => {
    const lower = name.trim().toLowerCase();
    const found = [...left].find(([, prefixes]) =>
      prefixes.some((prefix) => lower.startsWith(prefix)),
    );
    if (found === undefined) return "";
    left.delete(found[0]);
    return found[0];
  });
}
