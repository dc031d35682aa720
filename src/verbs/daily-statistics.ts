import { STATISTICS_CELLS_MAX } from "../catalog/statistics/statistics.ts";
import { dailyStatisticsSchema } from "../catalog/statistics/statistics-day.ts";
import { fieldError } from "../errors.ts";
import { listJson } from "../values/json-text.ts";
import { message } from "../values/messages/messages.ts";
import { dayOf } from "../values/moscow-time.ts";
import { fieldsOf } from "./fields.ts";
import { apiMethod } from "./method.ts";
import { listOf } from "./paging.ts";
import { integerList, required } from "./parameters.ts";
import { PERIOD_DAYS_MAX, periodDays, readPeriod, requireHistory } from "./period.ts";

const CHANNELS_MAX = 100;

export const dailyStatisticsList = apiMethod({
  operationId: "msgr_stats_daily_list",
  path: "/v1/msgr/stats/daily/",
  tag: "Statistics",
  title: "Daily statistics",
  description:
    `Subscribers, views and posts by Moscow day: at most ${PERIOD_DAYS_MAX} days, and ` +
    `channels times days at most ${STATISTICS_CELLS_MAX}. Days without a reading have no row. ` +
    `The Test plan covers the last 30 days.`,
  tool:
    "Subscribers, views and posts by day, for growth and comparison. Takes channel numbers, not " +
    "handles: msgr_channels_list and msgr_channels_resolve_retrieve give them. Ask for several " +
    "channels in one call: it costs the same. A row is about 75 " +
    "characters (with `fields` day,subscribers about 45), 100 channels over 30 days some 230,000. A " +
    "day without a reading has no row, so today's may be missing. The Test plan covers the last 30 days. " +
    "Next: msgr_channels_posts_retrieve.",
  units: 1,
  parameters: {
    channels: required(
      integerList({
        description: `Up to ${CHANNELS_MAX} service numbers of channels, separated by commas in one text.`,
        example: "1,3",
        itemsMax: CHANNELS_MAX,
      }),
    ),
    ...periodDays,
    ...fieldsOf(dailyStatisticsSchema),
  },
  result: listOf(dailyStatisticsSchema),
  errors: ["tariff_required"],
  async run(args, { services, caller, nowMs }) {
    const today = dayOf(nowMs);
    const { from, to, days } = readPeriod(args, today);
    if (args.channels.length * days > STATISTICS_CELLS_MAX) {
      throw fieldError({ channels: [message("tooManyCells", { cells: STATISTICS_CELLS_MAX })] });
    }
    requireHistory(caller.plan, from, today);
    const channelIds = args.channels;
    return listJson(await services.statistics.daily({ channelIds, from, to }));
  },
});
