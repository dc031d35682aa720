import type { ValueOf } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";
import { CHANNEL_FIELDS } from "../channels/card.ts";
import type { ChannelReference } from "../channels/channel-reference.ts";
import { schemasOf } from "../fields/stored-field.ts";
import { POST_FIELDS } from "../posts/post.ts";

export const MENTION_KINDS = ["link", "forward"] as const;
export type MentionKind = (typeof MENTION_KINDS)[number];

const { id, title, handle, subscribers, category, territory } = schemasOf(CHANNEL_FIELDS);
const named = { id, title, handle, subscribers };

export const namedChannelSchema = shape.object(named, "NamedChannel");

export const mentionSchema = shape.object(
  {
    ...schemasOf(POST_FIELDS),
    kinds: shape.list(
      shape.choice(MENTION_KINDS, {}),
      "How it mentions the channel: by a link or its `@handle`, by forwarding its post",
    ),
    mentioned_by: shape.object(named, "MentioningChannel"),
  },
  "Mention",
);

export type Mention = ValueOf<typeof mentionSchema>;

const SIMILAR_REASONS = [
  "mentioned_together",
  "same_category",
  "shared_category",
  "same_territory",
  "near_size",
] as const;
export type SimilarReason = (typeof SIMILAR_REASONS)[number];

export const similarSchema = shape.object(
  {
    ...named,
    category,
    territory,
    score: shape.integer({ minimum: 1, maximum: 100, description: "Similarity, out of 100" }),
    shared: shape.integer({
      minimum: 0,
      description: "Channels that mention both, among those examined",
    }),
    reasons: shape.list(shape.choice(SIMILAR_REASONS, {}), "What the score is based on"),
  },
  "SimilarChannel",
);

export type SimilarChannel = ValueOf<typeof similarSchema>;

export interface Neighbour {
  id: number;
  title: string;
  handle: string | null;
  /** Number of posts with such a mention, among those examined. */
  posts: number;
}

/** Who mentions a channel and whom it mentions, most posts first. */
export interface Neighbours {
  mentionedBy: Neighbour[];
  mentions: Neighbour[];
}

/** How often each number occurs in a list, most frequent first; ties by ascending number. */
export function mostFrequent(ids: readonly number[]): [id: number, times: number][] {
  const counts = new Map<number, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].sort(([one, times], [other, otherTimes]) => otherTimes - times || one - other);
}

/**
 * The name by which a post mentions a channel, as one text: a lower-case handle, `c/` and the messenger id,
 * or `#` and a service number. Handles contain neither slashes nor number signs.
 */
export type MentionTarget = string;

const targetOfHandle = (handle: string): MentionTarget => handle.toLowerCase();
export const targetOfMessengerId = (id: string): MentionTarget => `c/${id}`;
export const targetOfNumber = (id: number): MentionTarget => `#${id}`;

/** The text for a reference; null if it names no channel. */
export function targetOf(reference: ChannelReference | null): MentionTarget | null {
  switch (reference?.kind) {
    case "id":
      return targetOfNumber(reference.id);
    case "handle":
      return targetOfHandle(reference.handle);
    case "messengerId":
      return targetOfMessengerId(reference.messengerId);
    default:
      return null;
  }
}

/** Reverses `targetOf`. */
export function referenceOf(target: MentionTarget): ChannelReference {
  if (target.startsWith("#")) return { kind: "id", id: Number(target.slice(1)) };
  return target.startsWith("c/")
    ? { kind: "messengerId", messengerId: target.slice(2) }
    : { kind: "handle", handle: target };
}
