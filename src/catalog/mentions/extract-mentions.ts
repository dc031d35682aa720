import { parseLinkOrHandle } from "../channels/channel-reference.ts";
import { type MentionTarget, targetOf } from "./mention-target.ts";

/**
 * Channels that are taken out of one post, the first: more are a list that nobody means, and would hold the
 * write lock for long.
 */
export const TARGETS_MAX = 100;

/**
 * Words of a text that may name a channel: an address with its scheme wherever it begins, one without
 * a scheme and an `@handle` only where a word begins, so that no mail address and no part of a longer word
 * is one. Each alternative goes through a text once, however it is written.
 */
const CANDIDATES =
  /(?:https?:\/\/|tg:(?:\/\/)?resolve)[\w.\-~%/?#@:=&+]+|(?<![\p{L}\p{N}_.@/-])(?:(?:[a-z\d-]+\.)+[a-z\d-]+(?::\d+)?(?:\/[\w.\-~%/?#@:=&+]*)?|@\w[\w.-]*)/giu;

/**
 * The channels that a text links to or names by `@handle`, each once, in the text's order; whether any of
 * them is in the catalog does not matter.
 * @param hosts the messenger's hosts, in lower case
 */
export function extractMentions(text: string, hosts: readonly string[]): MentionTarget[] {
  const targets = new Set<MentionTarget>();
  for (const [candidate] of text.matchAll(CANDIDATES)) {
    const target = targetOf(parseLinkOrHandle(withoutEnd(candidate), hosts));
    if (target !== null) targets.add(target);
    if (targets.size === TARGETS_MAX) break;
  }
  return [...targets];
}

const END = ".:-?&=+~%#@";

/** A candidate without the marks that end a sentence: no messenger has handles that end so. */
function withoutEnd(candidate: string): string {
  let end = candidate.length;
  while (end > 0 && END.includes(candidate.charAt(end - 1))) end -= 1;
  return candidate.slice(0, end);
}
