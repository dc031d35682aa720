import { categorySlugs } from "../channels/channels.store.ts";
import type { SimilarReason } from "./mention.ts";
import type { Compared } from "./similar.store.ts";

export interface Similarity {
  /** Score out of 100, not rounded. */
  points: number;
  reasons: SimilarReason[];
}

/** Points for each reason, as documented for customers in mentions.md. */
const MENTIONED_TOGETHER = 50;
const SAME_CATEGORY = 25;
const SHARED_CATEGORY = 15;
const SAME_TERRITORY = 10;
const NEAR_SIZE = 15;
/** In doublings: up to twice or half the size is near; points for size reach zero at sixteen times. */
const NEAR_DOUBLINGS = 1;
const FAR_DOUBLINGS = 4;

/**
 * Score of another channel, which is mentioned together with this one or shares a category: a similar size
 * or territory alone means nothing.
 * @param part share, 0 to 1, of those who mention this channel that mention the other too; weighted
 */
export function similarityOf(channel: Compared, other: Compared, part: number): Similarity {
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
  if (channel.territory !== null && channel.territory === other.territory) {
    points += SAME_TERRITORY;
    reasons.push("same_territory");
  }
  const doublings = Math.abs(Math.log2((channel.subscribers + 1) / (other.subscribers + 1)));
  points += NEAR_SIZE * Math.max(0, 1 - doublings / FAR_DOUBLINGS);
  if (doublings <= NEAR_DOUBLINGS) reasons.push("near_size");
  return { points, reasons };
}
