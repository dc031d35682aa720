/** @jsxImportSource hono/jsx */
import type { ImportKindName } from "../../../../catalog/imports/kinds/import-kinds.ts";
import type { NewUpload } from "../../../../catalog/imports/runs/upload-files.ts";
import { AppError } from "../../../../errors.ts";
import type { Resource } from "../../../../verbs/operator/resource.ts";
import { cutFaults } from "../../forms/cut-text.ts";
import { told } from "../../look/shown.tsx";
import { VerbFields } from "../../look/verb-form.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import type { Visit } from "../../visit/visit.ts";

/** Options for reading a file: those of `kanalog import`, seldom needed. */
export function ReadingFields(of: { resource: Resource; verb: string }) {
  const { faults, words } = useVisit();
  return (
    <details open={faults["map"] !== undefined || faults["timezone"] !== undefined}>
      <summary>{words.importPages.reading}</summary>
      <VerbFields {...of} fields={["from", "map", "ignore_unknown", "timezone", "strict"]} />
    </details>
  );
}

/** Most columns that the form lists. */
const TO_NAME_MAX = 100;

/**
 * The form again, listing the header's unknown columns, one per line with a guess, to be named or left out;
 * null for any other error.
 */
export function withColumnsToName({ kind, options }: NewUpload, error: unknown): Visit | null {
  const visit = useVisit();
  if (!(error instanceof AppError) || error.publicMessage.code !== "unknownColumnsInHeader")
    return null;
  const { form } = visit;
  const words = visit.words.importPages;
  const names = error.publicMessage.values.unknown.slice(0, TO_NAME_MAX).map(String);
  const guessed = guessColumns(kind, names, Object.values(options.reading.map));
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
