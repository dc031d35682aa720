import type { Message } from "../../values/messages/messages.ts";
import type { Day } from "../../values/moscow-time.ts";
import type { ValueOf } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";
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

const views = shape.nullable(shape.count("Their views; null if those of none are known"));
const channels = shape.nullable(
  shape.count("Channels that they are of; null if too few posts were looked at to tell"),
);

export const overTimeSchema = shape.object(
  {
    posts: shape.count("Posts that match"),
    views,
    channels,
    sampled: shape.integer({
      minimum: 1,
      description:
        "1: all matches were looked at; n: one in n, from which `views` and, if not null, `channels` are estimated",
    }),
    periods: shape.list(
      shape.object({
        from: shape.day("First Moscow day of the period"),
        posts: shape.count("Posts that match"),
        views,
        channels,
      }),
      "All periods, also those without posts",
    ),
    top_channels: shape.list(
      shape.object({
        channel: namedChannelSchema,
        posts: shape.count("Its posts that match"),
        views,
        last_published_at: shape.instantText("When the last of them was published"),
      }),
      "The 20 channels with the most posts, most first",
    ),
    note: shape.nullable(shape.text("What is estimated or may be missing; null if nothing")),
  },
  "WordsOverTime",
);

export type OverTimeView = ValueOf<typeof overTimeSchema>;

export type OverTime = Omit<OverTimeView, "note"> & { note: Message | null };
