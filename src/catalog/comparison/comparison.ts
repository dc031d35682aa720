import type { Day } from "../../values/moscow-time.ts";
import {
  countSchema,
  daySchema,
  integerSchema,
  nullable,
  numberSchema,
  objectSchema,
  type ValueOf,
} from "../../values/schema.ts";
import { postSchema } from "../posts/post.ts";

export const COMPARED_MAX = 20;

export const comparisonSchema = objectSchema(
  {
    channel: integerSchema({ description: "Service number of the channel" }),
    from: daySchema("First Moscow day"),
    to: daySchema("Last Moscow day"),
    subscribers_first: nullable(countSchema("Subscribers by the first reading of the period")),
    subscribers_last: nullable(countSchema("Subscribers by its last reading")),
    growth: nullable(integerSchema({ description: "From the first reading to the last" })),
    growth_percent: nullable(
      numberSchema({ description: "`growth` in percent of `subscribers_first`" }),
    ),
    posts: countSchema("Posts that were published in the period"),
    ads: countSchema("Advertising posts among them"),
    views: nullable(
      countSchema("Total views of the posts whose views are known; null if none are"),
    ),
    views_mean: nullable(countSchema("Their mean, rounded")),
    views_median: nullable(countSchema("Their median, rounded")),
    err: nullable(numberSchema({ description: "`views_mean` in percent of `subscribers_last`" })),
    best_post: nullable(postSchema),
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
