import { parseLinkOrHandle } from "../channels/channel-reference.ts";
import { type MentionTarget, targetOf } from "./mention-target.ts";

/**
 * Limit for channels extracted from one post: a longer list is nobody's message, and would hold the write
 * lock for long.
 */
export const TARGETS_MAX = 100;

/**
 * Matches words that may name a channel: a URL with a scheme anywhere, a URL without one and an `@handle`
 * only at the beginning of a word, which rules out mail addresses and parts of longer words. Each
 * alternative scans a text once, whatever it contains.
 */
const CANDIDATES =
  /(?:https?:\/\/|tg:(?:\/\/)?resolve)[\w.\-~%/?#@:=&+]+|(?<![\p{L}\p{N}_.@/-])(?:(?:[a-z\d-]+\.)+[a-z\d-]+(?::\d+)?(?:\/[\w.\-~%/?#@:=&+]*)?|@\w[\w.-]*)/giu;

/**
 * Channels that a text links to or names by `@handle`, without duplicates and in order, whether or not they
 * are in the catalog.
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

/** Removes punctuation from the end: no messenger has handles that end with it. */
function withoutEnd(candidate: string): string {
  let end = candidate.length;
  while (end > 0 && END.includes(candidate.charAt(end - 1))) end -= 1;
  return candidate.slice(0, end);
}
