import {
  COMPARED_DAYS,
  HOURS_MAX,
  HOURS_MIN,
  POSTS_OF_CHANNEL_MAX,
  type Trends,
  trendSchema,
} from "../../catalog/trends/trends.ts";
import { type FieldFaults, fieldError } from "../../errors.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import * as shape from "../../values/schema.ts";
import { postsIncluded } from "../admission.ts";
import { apiMethod, STRANGERS_WORDS } from "../method.ts";
import { listOf } from "../paging.ts";
import { fieldsOf, integer, withDefault } from "../parameters.ts";
import { filterParameters, readFacets } from "./catalog-filter.ts";

const TERMS_MAX = 50;

export const trendsList = apiMethod({
  operationId: "msgr_trends_list",
  path: "/v1/msgr/trends/",
  tag: "Posts",
  title: "Trending words",
  description:
    "Words, and pairs of neighbouring words, that at least 5 channels and three times more than usual use in the last " +
    "`hours`, the most surprising first. Channels are counted, not posts. Usual is the mean of the " +
    `${COMPARED_DAYS} whole days before the last ${HOURS_MAX} hours, a day on which fewer than 3 channels use a word ` +
    "counting as 0, and as 2 where it is judged whether the word rises. Made every 15 minutes of words that rose in 6 or in 24 hours; with `category` and `territory` " +
    "those that channels there use. Numbers, addresses, handles and words of one or two letters do not count. From the Start plan.",
  tool:
    "Words and pairs of words that far more {messenger} channels use now than usual. A row is about 750 " +
    `characters, with \`fields\` words,channels about 45. ${STRANGERS_WORDS}`,
  units: 1,
  planRule: postsIncluded,
  parameters: {
    hours: withDefault(
      integer("The last hours to look at, the present one included.", {
        example: 24,
        minimum: HOURS_MIN,
        maximum: HOURS_MAX,
      }),
      24,
    ),
    category: filterParameters.category,
    territory: filterParameters.territory,
    limit: withDefault(
      integer("Most words.", { example: 10, minimum: 1, maximum: TERMS_MAX }),
      TERMS_MAX,
    ),
    ...fieldsOf(trendSchema),
  },
  toolDefaults: { args: { limit: 20 } },
  result: shape.object({
    ...listOf(trendSchema).properties,
    made_at: shape.nullable(shape.instantText("When this was made; null: not yet")),
    compared_days: shape.integer({
      minimum: 0,
      maximum: COMPARED_DAYS,
      description: "Days with posts that words are compared with",
    }),
    note: shape.nullable(shape.text("What is incomplete; null if nothing")),
  }),
  async run({ hours, limit, ...facets }, { services, told }) {
    const faults: FieldFaults = {};
    const places = readFacets(facets, services.directory, faults);
    if (Object.keys(faults).length > 0) throw fieldError(faults);
    const { results, ...made } = await services.trends({ hours, limit, ...places });
    const note = noteOf(made);
    return {
      results,
      made_at: made.madeAt === null ? null : formatInstant(made.madeAt),
      compared_days: made.comparedDays,
      note: note && told(note),
    };
  },
});

function noteOf({ madeAt, comparedDays, cutChannels }: Omit<Trends, "results">): Message | null {
  if (madeAt === null) return message("trendsNotMade");
  if (comparedDays === 0) return message("trendsNothingBefore", { days: COMPARED_DAYS });
  if (comparedDays < COMPARED_DAYS) {
    return message("trendsFewDays", { counted: comparedDays, days: COMPARED_DAYS });
  }
  if (cutChannels === 0) return null;
  return message("trendsCut", { channels: cutChannels, posts: POSTS_OF_CHANNEL_MAX });
}
