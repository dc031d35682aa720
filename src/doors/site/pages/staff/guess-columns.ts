import type { ImportKindName } from "../../../../catalog/imports/kinds/import-kinds.ts";

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
export function guessColumns(
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
