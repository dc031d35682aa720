import type { Message } from "../../values/messages/messages.ts";
import type { Day } from "../../values/moscow-time.ts";
import {
  countSchema,
  daySchema,
  instantSchema,
  integerSchema,
  listSchema,
  nullable,
  objectSchema,
  textSchema,
  type ValueOf,
} from "../../values/schema.ts";
import { namedChannelSchema } from "../mentions/mention.ts";
import type { PostSearchSelection } from "./post-search.ts";

/** Lengths of periods; weeks begin on Monday. */
export const PERIOD_LENGTHS = ["day", "week", "month"] as const;

export interface OverTimeSelection extends Pick<PostSearchSelection, "query" | "filter"> {
  group: (typeof PERIOD_LENGTHS)[number];
  from: Day;
  /** Inclusive. */
  to: Day;
}

const views = nullable(countSchema("Their views; null if those of none are known"));
const channels = nullable(
  countSchema("Channels that they are of; null if too few posts were looked at to tell"),
);

export const overTimeSchema = objectSchema(
  {
    posts: countSchema("Posts that match"),
    views,
    channels,
    sampled: integerSchema({
      minimum: 1,
      description:
        "1: all matches were looked at; n: every n-th, from which `views` and, if not null, `channels` are estimated",
    }),
    periods: listSchema(
      objectSchema({
        from: daySchema("First Moscow day of the period"),
        posts: countSchema("Posts that match"),
        views,
        channels,
      }),
      { description: "All periods, also those without posts" },
    ),
    top_channels: listSchema(
      objectSchema({
        channel: namedChannelSchema,
        posts: countSchema("Its posts that match"),
        views,
        last_published_at: instantSchema("When the last of them was published"),
      }),
      { description: "The 20 channels with the most posts, most first" },
    ),
    note: nullable(
      textSchema({ description: "What is estimated or may be missing; null if nothing" }),
    ),
  },
  "WordsOverTime",
);

export type OverTimeView = ValueOf<typeof overTimeSchema>;

export type OverTime = Omit<OverTimeView, "note"> & { note: Message | null };
