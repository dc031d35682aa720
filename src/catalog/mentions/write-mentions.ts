import { type Database, statement } from "../../db/database.ts";
import { parseNamed } from "../channels/channel-reference.ts";
import type { PostRecord } from "../posts/post.ts";
import { extractMentions } from "./extract-mentions.ts";
import { type MentionTarget, targetOf, targetOfNumber } from "./mention-target.ts";
import { KIND_BITS } from "./mentions.store.ts";

/** The parts of a post that are stored with each of its mentions. */
type Placed = Pick<PostRecord, "id" | "channel" | "published_at">;

/**
 * `forwarded_from` as a row gives it: a number, a handle or a link; null to clear it, undefined to keep it.
 */
type GivenForward = number | string | null | undefined;

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

  function forwardOf(post: PostRecord, given: GivenForward): MentionTarget | null {
    if (post.forwarded_from !== null) return targetOfNumber(post.forwarded_from);
    if (given == null) return null;
    return typeof given === "number" ? targetOfNumber(given) : targetOf(parseNamed(given, hosts));
  }

  return {
    /** Adds mentions to a stored post without removing any: for posts stored before mentions existed. */
    add(post: Placed & Pick<PostRecord, "text" | "forwarded_from">): void {
      const { id, channel, published_at: publishedAt, text, forwarded_from } = post;
      const place = { id, channel, publishedAt };
      for (const target of extractMentions(text, hosts)) {
        add.run({ ...place, target, kinds: KIND_BITS.link });
      }
      if (forwarded_from === null) return;
      add.run({ ...place, target: targetOfNumber(forwarded_from), kinds: KIND_BITS.forward });
    },

    /**
     * Updates the stored mentions for a post that was just written.
     * @param before the post as it was stored before; undefined for a new one
     * @param given the row's `forwarded_from`
     * @returns whether anything changed
     */
    write(post: PostRecord, before: PostRecord | undefined, given: GivenForward): boolean {
      const { id, channel, published_at: publishedAt } = post;
      const place = { id, channel, publishedAt };
      const isTextChanged = before?.text !== post.text;
      if (before !== undefined && !isTextChanged && given === undefined) return false;
      const had = new Map<MentionTarget, number>();
      if (before !== undefined) {
        for (const { target, kinds } of stored.all(place)) had.set(target, kinds);
      }
      const wanted = new Map<MentionTarget, number>();
      const want = (target: MentionTarget, kind: number): void => {
        wanted.set(target, (wanted.get(target) ?? 0) | kind);
      };
      if (isTextChanged)
        for (const target of extractMentions(post.text, hosts)) want(target, KIND_BITS.link);
      const forward = forwardOf(post, given);
      if (forward !== null) want(forward, KIND_BITS.forward);
      // Mentions from a field that did not change, or that the row does not give, stay.
      for (const [target, kinds] of had) {
        if (!isTextChanged && kinds & KIND_BITS.link) want(target, KIND_BITS.link);
        if (given === undefined && kinds & KIND_BITS.forward) want(target, KIND_BITS.forward);
      }
      let isChanged = false;
      for (const [target, kinds] of wanted) {
        const known = had.get(target);
        had.delete(target);
        if (known === kinds) continue;
        (known === undefined ? add : set).run({ ...place, target, kinds });
        isChanged = true;
      }
      for (const target of had.keys()) remove.run({ ...place, target });
      return isChanged || had.size > 0;
    },
  };
}
