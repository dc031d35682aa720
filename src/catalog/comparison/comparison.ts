import type { Day } from "../../values/moscow-time.ts";
import type { ValueOf } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";
import { postSchema } from "../posts/post.ts";

export const COMPARED_MAX = 20;

export const comparisonSchema = shape.object(
  {
    channel: shape.integer("Service number of the channel"),
    from: shape.day("First Moscow day"),
    to: shape.day("Last Moscow day"),
    subscribers_first: shape.nullable(
      shape.count("Subscribers by the first reading of the period"),
    ),
    subscribers_last: shape.nullable(shape.count("Subscribers by its last reading")),
    growth: shape.nullable(shape.integer("From the first reading to the last")),
    growth_percent: shape.nullable(shape.number("`growth` in percent of `subscribers_first`")),
    posts: shape.count("Posts that were published in the period"),
    ads: shape.count("Advertising posts among them"),
    views: shape.nullable(
      shape.count("Total views of the posts whose views are known; null if none are"),
    ),
    views_mean: shape.nullable(shape.count("Their mean, rounded")),
    views_median: shape.nullable(shape.count("Their median, rounded")),
    err: shape.nullable(shape.number("`views_mean` in percent of `subscribers_last`")),
    best_post: shape.nullable(postSchema),
  },
  "Comparison",
);

export type ComparisonView = ValueOf<typeof comparisonSchema>;

export interface ComparisonSelection {
  /** Service numbers of public channels, in the order of the answer. */
  channelIds: readonly number[];
  from: Day;
  /** Inclusive. */
  to: Day;
  hasBestPost: boolean;
}
