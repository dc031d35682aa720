import { isObject } from "../../values/json-text.ts";
import { message } from "../../values/messages/messages.ts";
import { type Column, column, NO_ITEMS } from "../fields/columns.ts";

/** A link that a text shows under other words; its place is counted in UTF-16 units, as messengers do. */
export interface HiddenLink {
  offset: number;
  length: number;
  target: string;
}

export const LINKS_MAX = 50;
export const LINK_TARGET_MAX = 2048;

const TARGET = /^(?:https?|tg):\S+$/i;

/**
 * A JSON list of links, or its text in CSV. Messages with more than the most links keep the first ones, and
 * those that lead nowhere on the web are left out.
 */
export function linksColumn(): Column<HiddenLink[]> {
  return column((given) => {
    if (typeof given === "string" && given.trim().toLowerCase() === NO_ITEMS) return { value: [] };
    const list = typeof given === "string" ? parsed(given) : given;
    if (!Array.isArray(list)) return { fault: message("notLinks") };
    const links: HiddenLink[] = [];
    for (const one of list) {
      if (!isLink(one)) return { fault: message("notLinks") };
      const { offset, length, target } = one;
      if (target.length <= LINK_TARGET_MAX && TARGET.test(target)) {
        links.push({ offset, length, target: target.toWellFormed() });
      }
      if (links.length === LINKS_MAX) break;
    }
    return { value: links };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isLink(given: unknown): given is HiddenLink {
  if (!isObject(given)) return false;
  const { offset, length, target } = given;
  const isPlace = [offset, length].every((one) => Number.isSafeInteger(one) && Number(one) >= 0);
  return isPlace && typeof target === "string";
}

export function linksOf(stored: string | null): HiddenLink[] {
  return stored === null ? [] : JSON.parse(stored);
}

/** The token of a registered advertisement, in a text or in the address of a link. */
const ERID = /(?<![\p{L}\p{N}_])erid\s*[:=]\s*[\w-]{5,}/iu;

/** Whether a post says by itself that it is advertising, as Russian law requires. */
export function isMarkedAd(text: string, links: string | null): boolean {
  return ERID.test(text) || (links !== null && ERID.test(links));
}
