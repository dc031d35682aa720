import { type SelectionView, selectionSchema } from "../catalog/search/selection.ts";
import { type FilterArguments, filterParameters, readFilter } from "./catalog-filter.ts";
import { fieldsOf } from "./fields.ts";
import { apiMethod } from "./method.ts";

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
    'Counts the channels that match the filters of msgr_channels_list: "how many above 100,000 are ' +
    'in science", "which categories lead in a region". Gives the sum, median and deciles of ' +
    "subscribers, and categories and territories by number of channels: about 55 characters each, up to " +
    "60,000 for the whole catalog, with `fields` channels,subscribers about 130.",
  units: 1,
  parameters: { ...filterParameters, ...fieldsOf(selectionSchema) },
  result: selectionSchema,
  async run(args, { services }) {
    const filter = readFilter(args as FilterArguments, services);
    return filter === null ? NO_CHANNELS : services.search.describe(filter);
  },
});
