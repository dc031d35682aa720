import { type SelectionView, selectionSchema } from "../../catalog/search/catalog.ts";
import {
  dailyStatisticsSchema,
  STATISTICS_CELLS_MAX,
} from "../../catalog/statistics/statistics.ts";
import { fieldError } from "../../errors.ts";
import { listJson } from "../../values/json-text.ts";
import { message } from "../../values/messages/messages.ts";
import { dayOf } from "../../values/moscow-time.ts";
import { apiMethod } from "../method.ts";
import { listOf } from "../paging.ts";
import { fieldsOf, integerList, required } from "../parameters.ts";
import { PERIOD_DAYS_MAX, periodDays, readPeriod, requireHistory } from "../period.ts";
import { type FilterArguments, filterParameters, readFilter } from "./catalog-filter.ts";

export const CHANNELS_MAX = 100;

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
    "Subscribers, views and posts of {messenger} channels by day, up to 100 channels a call. For growth see " +
    "msgr_channels_compare_list. A row is about 75 characters (with `fields` " +
    "day,subscribers about 45), 100 channels over 30 days some 230,000.",
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

const NO_CHANNELS: SelectionView = {
  channels: 0,
  subscribers: { sum: 0, median: null, deciles: [] },
  categories: [],
  territories: [],
};

export const channelsStatsRetrieve = apiMethod({
  operationId: "msgr_channels_stats_retrieve",
  path: "/v1/msgr/channels/stats/",
  tag: "Channels",
  title: "Statistics of a selection",
  description:
    "How many channels match the catalog's filters, their subscribers, and their categories and " +
    "territories. Selections of more than 20,000 channels are counted again at most once a minute.",
  tool:
    "How many {messenger} channels match: number, subscribers' sum, median and deciles, channels by category, " +
    "with `fields` territories by territory: about 55 characters each, up to 60,000 for the whole catalog, with " +
    "`fields` channels,subscribers about 130.",
  units: 1,
  parameters: { ...filterParameters, ...fieldsOf(selectionSchema) },
  toolDefaults: {
    args: { fields: "channels,subscribers,categories" },
    note: "Without territories: `fields` territories gives them.",
  },
  result: selectionSchema,
  async run(args, { services }) {
    const filter = readFilter(args as FilterArguments, services);
    return filter === null ? NO_CHANNELS : services.search.describe(filter);
  },
});
