import { isObject, type JsonObject, membersOf } from "../../../../values/json-text.ts";
import type { HiddenLink } from "../../../posts/hidden-links.ts";

/**
 * Links among a message's entities, as Telegram's libraries and its Bot API write them: those with an address
 * of their own. The places of all are in UTF-16 units.
 * @returns undefined if the message says nothing about entities
 */
export function linksOfEntities(entities: unknown): HiddenLink[] | undefined {
  if (!Array.isArray(entities)) return undefined;
  return entities.flatMap((entity) => {
    const { offset, length, url } = membersOf(entity);
    const isLink = typeof url === "string" && Number.isInteger(offset) && Number.isInteger(length);
    return isLink ? [{ offset: Number(offset), length: Number(length), target: url }] : [];
  });
}

/** A text, or the text of an object that has it with its entities. */
export function plainText(given: unknown): string | null {
  const text = isObject(given) ? given["text"] : given;
  return typeof text === "string" && text !== "" ? text : null;
}

/** The question of a poll or the title of a checklist, which are all the words such a message has. */
export function askedIn({ poll, checklist, todo }: JsonObject): string | null {
  const list = membersOf(checklist ?? todo);
  return plainText(membersOf(poll)["question"]) ?? plainText(list["title"]);
}
