import { COMPARED_MAX, comparisonSchema } from "../../catalog/comparison/comparison.ts";
import { type SelectionView, selectionSchema } from "../../catalog/search/catalog.ts";
import {
  dailyStatisticsSchema,
  STATISTICS_CELLS_MAX,
} from "../../catalog/statistics/statistics.ts";
import type { Plan } from "../../customers/accounts/accounts.table.ts";
import { fieldError } from "../../errors.ts";
import { listJson } from "../../values/json-text.ts";
import { message } from "../../values/messages/messages.ts";
import { type Day, dayOf } from "../../values/moscow-time.ts";
import { apiMethod, STRANGERS_WORDS } from "../method.ts";
import { listOf } from "../paging.ts";
import { day, fieldsOf, integerList, required, textList } from "../parameters.ts";
import { firstDayOf, PERIOD_DAYS_MAX, periodDays, readPeriod, requireHistory } from "../period.ts";
import type { Services } from "../services.ts";
import type { FilterArguments } from "./catalog-filter.ts";
import { channelNamed, filterParameters, readFilter, unknownChannel } from "./catalog-filter.ts";

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
      integerList(
        `Up to ${CHANNELS_MAX} service numbers of channels, separated by commas in one text.`,
        { example: "1,3", itemsMax: CHANNELS_MAX },
      ),
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

/** Default interval in days between the two readings that growth is computed from, as in `growth_30d`. */
const GROWTH_DAYS = 30;

export const channelsCompareList = apiMethod({
  operationId: "msgr_channels_compare_list",
  path: "/v1/msgr/channels/compare/",
  tag: "Channels",
  title: "Compare channels",
  description:
    `Subscribers, posts and views of up to ${COMPARED_MAX} channels over one period of at most ` +
    `${PERIOD_DAYS_MAX} days, in the order given. The Test plan covers the last 30 days: give ` +
    "`from` if the last reading is older, and note that `best_post` is null there.",
  tool:
    "Up to 20 {messenger} channels over a period: growth, posts, ads, mean views, best post. A channel is about 1,000 to 1,700 characters, with `fields` " +
    "channel,growth,growth_percent,views_mean,err about 85. " +
    STRANGERS_WORDS,
  units: 1,
  parameters: {
    channels: required(
      textList(
        `Up to ${COMPARED_MAX} service numbers, handles or links, separated by commas in one text.`,
        { example: "1,3", itemsMax: COMPARED_MAX },
      ),
    ),
    from: day(`First Moscow day, included; by default ${GROWTH_DAYS} days before \`to\`.`, {
      example: "2024-11-01",
    }),
    to: day(
      "Last Moscow day, included; by default today, without `from` the last day with a reading.",
      { example: "2024-11-30" },
    ),
    ...fieldsOf(comparisonSchema),
  },
  result: listOf(comparisonSchema),
  errors: ["tariff_required"],
  async run(args, { services, caller, nowMs }) {
    const channelIds = idsOf(args.channels, services);
    const { plan } = caller;
    const today = dayOf(nowMs);
    const { from, to } = readPeriod(periodOf(args, channelIds, services, { plan, today }), today);
    requireHistory(plan, from, today);
    const hasBestPost = plan.posts;
    return listJson(await services.compare({ channelIds, from, to, hasBestPost }));
  },
});

/** @throws AppError `invalid` on `channels`, with each name that matches no channel */
function idsOf(names: readonly string[], { channels }: Pick<Services, "channels">): number[] {
  const found = names.map((name) => ({ name, id: channelNamed(name, channels) }));
  const unknown = found.filter(({ id }) => id === null);
  if (unknown.length > 0) {
    throw fieldError({ channels: unknown.map(({ name }) => unknownChannel(name)) });
  }
  return [...new Set(found.flatMap(({ id }) => id ?? []))];
}

/**
 * The requested period. Without bounds it is that of a card's `growth_30d`: from the last reading back to
 * the one 30 days earlier, as far as the plan shows it.
 */
function periodOf(
  given: Parameters<typeof readPeriod>[0],
  channelIds: readonly number[],
  { statistics }: Pick<Services, "statistics">,
  { plan, today }: { plan: Plan; today: Day },
): { from: Day; to: Day } {
  const readings = channelIds.flatMap((id) => statistics.span(id)?.last ?? []);
  const last = readings.length === 0 ? today : Math.min(today, Math.max(...readings));
  const to = given.to ?? (given.from === undefined ? last : today);
  if (given.from !== undefined) return { from: given.from, to };
  const from = to - GROWTH_DAYS;
  const open = firstDayOf(plan, today);
  return { from: to < open ? from : Math.max(from, open), to };
}
