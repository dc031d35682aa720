import { type Message, message } from "../../../values/messages/messages.ts";

/**
 * Limits of a JSON text, checked before parsing in a single pass over its bytes, so that a hostile text
 * costs no more than its length.
 */

const DEPTH_MAX = 32;
/** Members of all objects in total. */
const MEMBERS_MAX = 1_000;
/** Objects and arrays in total. */
const CONTAINERS_MAX = 1_000;
/** Strings, member names included. */
const TEXTS_MAX = 3_000;
/** Commas, as a measure of all arrays' items; the largest allowed body has room for fewer channels. */
const ITEMS_MAX = 100_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

/** The limit that a text exceeds; null if none, whether or not it is valid JSON. */
export function brokenBound(json: Uint8Array): Message | null {
  let depth = 0;
  let members = 0;
  let containers = 0;
  let texts = 0;
  let items = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE:
        texts += 1;
        if (texts > TEXTS_MAX) return message("bodyTooManyTexts", { count: TEXTS_MAX });
        for (at++; at < json.length && json[at] !== QUOTE; at++) {
          if (json[at] === BACKSLASH) at++;
        }
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth += 1;
        containers += 1;
        if (depth > DEPTH_MAX) return message("bodyTooDeep", { levels: DEPTH_MAX });
        if (containers > CONTAINERS_MAX) {
          return message("bodyTooManyContainers", { count: CONTAINERS_MAX });
        }
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth -= 1;
        break;
      case COLON:
        members += 1;
        if (members > MEMBERS_MAX) return message("bodyTooManyMembers", { count: MEMBERS_MAX });
        break;
      case COMMA:
        items += 1;
        if (items > ITEMS_MAX) return message("bodyTooManyItems", { count: ITEMS_MAX });
        break;
    }
  }
  return null;
}
