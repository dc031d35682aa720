import { type Database, statement } from "../../db/database.ts";
import { parseLinkOrHandle, parseNamed } from "../channels/channel-reference.ts";
import { linksOf } from "../posts/hidden-links.ts";
import type { PostRecord } from "../posts/post.ts";
import { type MentionTarget, targetOf, targetOfNumber } from "./mention.ts";
import { KIND_BITS } from "./mentions.store.ts";

export type MentioningPost = Pick<
  PostRecord,
  "id" | "channel" | "published_at" | "text" | "links" | "forwarded_from"
>;

/**
 * `forwarded_from` as a row gives it: a number, a handle or a link; null to clear it, undefined to keep it.
 */
type GivenForward = number | string | null | undefined;

/** The parts of a post that are stored with each of its mentions. */
const placeOf = ({ id, channel, published_at: publishedAt }: MentioningPost) => ({
  id,
  channel,
  publishedAt,
});

/** The mentions of a post: the bits of their kinds, by target. */
type Mentions = Map<MentionTarget, number>;

/** SQL: adds a mention, or only its kind if the post already has one of the same target. */
const ADD = `
  INSERT INTO mentions (target, published_at, post_id, channel_id, kinds)
  VALUES (@target, @publishedAt, @id, @channel, @kinds)
  ON CONFLICT (target, published_at, post_id) DO UPDATE SET kinds = kinds | excluded.kinds`;

/**
 * Writes posts' mentions, inside the transaction that writes the posts.
 * @param hosts the messenger's hosts, by which links are recognized
 */
export function createMentions(db: Database, hosts: readonly string[]) {
  const add = statement(db, ADD);
  const set = statement(
    db,
    `UPDATE mentions SET kinds = @kinds
     WHERE target = @target AND published_at = @publishedAt AND post_id = @id`,
  );
  const remove = statement(
    db,
    "DELETE FROM mentions WHERE target = @target AND published_at = @publishedAt AND post_id = @id",
  );
  const stored = statement<{ target: MentionTarget; kinds: number }>(
    db,
    `SELECT target, kinds FROM mentions
     WHERE channel_id = @channel AND published_at = @publishedAt AND post_id = @id`,
  );

  function storedOf(place: ReturnType<typeof placeOf>): Mentions {
    return new Map(stored.all(place).map(({ target, kinds }) => [target, kinds]));
  }

  return {
    /**
     * Updates the stored mentions for a post that was just written.
     * @param before the post as it was stored before; undefined for a new one
     * @param given the row's `forwarded_from`
     * @returns whether anything changed
     */
    write(post: PostRecord, before: PostRecord | undefined, given: GivenForward): boolean {
      const place = placeOf(post);
      const isTextChanged = before?.text !== post.text || before.links !== post.links;
      if (before !== undefined && !isTextChanged && given === undefined) return false;
      const had: Mentions = before === undefined ? new Map() : storedOf(place);
      const wanted = mentionsAfter(had, post, isTextChanged, given, hosts);
      let isChanged = false;
      for (const [target, kinds] of wanted) {
        const known = had.get(target);
        if (known === kinds) continue;
        (known === undefined ? add : set).run({ ...place, target, kinds });
        isChanged = true;
      }
      for (const target of had.keys()) {
        if (wanted.has(target)) continue;
        remove.run({ ...place, target });
        isChanged = true;
      }
      return isChanged;
    },
  };
}

function mentionsAfter(
  had: Mentions,
  post: PostRecord,
  isTextChanged: boolean,
  given: GivenForward,
  hosts: readonly string[],
): Mentions {
  const mentions: Mentions = new Map();
  const add = (target: MentionTarget, kinds: number): void => {
    mentions.set(target, (mentions.get(target) ?? 0) | kinds);
  };
  if (isTextChanged) {
    for (const target of extractMentions(post.text, hosts, post.links)) add(target, KIND_BITS.link);
  }
  const forward = forwardOf(post, given, hosts);
  if (forward !== null) add(forward, KIND_BITS.forward);
  // Mentions from a field that did not change, or that the row does not give, stay.
  const kept = (isTextChanged ? 0 : KIND_BITS.link) | (given === undefined ? KIND_BITS.forward : 0);
  for (const [target, kinds] of had) if (kinds & kept) add(target, kinds & kept);
  return mentions;
}

function forwardOf(
  post: PostRecord,
  given: GivenForward,
  hosts: readonly string[],
): MentionTarget | null {
  if (post.forwarded_from !== null) return targetOfNumber(post.forwarded_from);
  if (given == null) return null;
  return typeof given === "number" ? targetOfNumber(given) : targetOf(parseNamed(given, hosts));
}

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
 * Channels that a post links to, openly or under other words, or names by `@handle`, without duplicates,
 * whether or not they are in the catalog.
 * @param hosts the messenger's hosts, in lower case
 * @param links those under other words, as stored
 */
export function extractMentions(
  text: string,
  hosts: readonly string[],
  links: string | null = null,
): MentionTarget[] {
  const targets = new Set<MentionTarget>();
  for (const { target: address } of linksOf(links)) {
    const target = targetOf(parseLinkOrHandle(address, hosts));
    if (target !== null) targets.add(target);
  }
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
