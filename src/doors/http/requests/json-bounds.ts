import { type Message, message } from "../../../values/messages/messages.ts";
import { MEMBERS_MAX } from "../../../values/takes.ts";

/**
 * Limits of a JSON text, checked before parsing in a single pass over its bytes, so that a hostile text
 * costs no more than its length.
 */

const DEPTH_MAX = 32;
/** Strings for each member, member names included. */
const TEXTS_OF_MEMBER = 3;
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

/**
 * The limit that a text exceeds; null if none, whether or not it is valid JSON.
 * @param membersMax most members of all objects, and most objects and arrays
 */
export function brokenBound(json: Uint8Array, membersMax = MEMBERS_MAX): Message | null {
  const textsMax = membersMax * TEXTS_OF_MEMBER;
  let depth = 0;
  let members = 0;
  let containers = 0;
  let texts = 0;
  let items = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE:
        texts += 1;
        if (texts > textsMax) return message("bodyTooManyTexts", { count: textsMax });
        for (at++; at < json.length && json[at] !== QUOTE; at++) {
          if (json[at] === BACKSLASH) at++;
        }
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth += 1;
        containers += 1;
        if (depth > DEPTH_MAX) return message("bodyTooDeep", { levels: DEPTH_MAX });
        if (containers > membersMax) {
          return message("bodyTooManyContainers", { count: membersMax });
        }
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth -= 1;
        break;
      case COLON:
        members += 1;
        if (members > membersMax) return message("bodyTooManyMembers", { count: membersMax });
        break;
      case COMMA:
        items += 1;
        if (items > ITEMS_MAX) return message("bodyTooManyItems", { count: ITEMS_MAX });
        break;
    }
  }
  return null;
}
