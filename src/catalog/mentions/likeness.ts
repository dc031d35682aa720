import { categorySlugs } from "../channels/channels.store.ts";
import type { SimilarReason } from "./mention.ts";
import type { Compared } from "./similar.store.ts";

/** How like another a channel is. */
export interface Likeness {
  /** Points of 100, not rounded. */
  points: number;
  reasons: SimilarReason[];
}

/** Points of the score (mentions.md tells customers). */
const MENTIONED_TOGETHER = 50;
const SAME_CATEGORY = 25;
const SHARED_CATEGORY = 15;
const SAME_TERRITORY = 10;
const NEAR_SIZE = 15;
/** Sizes count as near up to twice and half; points for size end at sixteen times. */
const NEAR_DOUBLINGS = 1;
const FAR_DOUBLINGS = 4;

/**
 * The points of another channel; null for one that no channel mentions beside this one and that has none of
 * its categories: a like size or territory alone says nothing.
 * @param part of those who mention this one, how many mention both, each by its weight, 0 to 1
 */
export function likenessOf(channel: Compared, other: Compared, part: number): Likeness | null {
  const reasons: SimilarReason[] = [];
  let points = MENTIONED_TOGETHER * part;
  if (part > 0) reasons.push("mentioned_together");
  const slugs = categorySlugs(channel);
  if (channel.category !== null && channel.category === other.category) {
    points += SAME_CATEGORY;
    reasons.push("same_category");
  } else if (categorySlugs(other).some((slug) => slugs.includes(slug))) {
    points += SHARED_CATEGORY;
    reasons.push("shared_category");
  }
  if (reasons.length === 0) return null;
  if (channel.territory !== null && channel.territory === other.territory) {
    points += SAME_TERRITORY;
    reasons.push("same_territory");
  }
  const doublings = Math.abs(Math.log2((channel.subscribers + 1) / (other.subscribers + 1)));
  points += NEAR_SIZE * Math.max(0, 1 - doublings / FAR_DOUBLINGS);
  if (doublings <= NEAR_DOUBLINGS) reasons.push("near_size");
  return { points, reasons };
}
