import {
  countSchema,
  daySchema,
  integerSchema,
  objectSchema,
  type ValueOf,
} from "../../values/schema.ts";

export const dailyStatisticsSchema = objectSchema(
  {
    channel: integerSchema({ description: "Service number of the channel" }),
    day: daySchema("Moscow day"),
    subscribers: countSchema("Subscribers at the end of the day"),
    views: countSchema("Views of that day's posts"),
    posts: countSchema("Posts of that day"),
  },
  "DailyStatistics",
);

export type DailyStatisticsView = ValueOf<typeof dailyStatisticsSchema>;
