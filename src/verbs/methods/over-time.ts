import { overTimeSchema, PERIOD_LENGTHS } from "../../catalog/post-search/over-time.ts";
import { dayOf } from "../../values/moscow-time.ts";
import { postsIncluded } from "../admission.ts";
import { apiMethod, STRANGERS_WORDS } from "../method.ts";
import { choice, day, fieldsOf, withDefault } from "../parameters.ts";
import { PERIOD_DAYS_DEFAULT, PERIOD_DAYS_MAX, periodDays, readPeriod } from "../period.ts";
import { readSearch, searchParameters } from "./post-search.ts";

export const postsSearchStats = apiMethod({
  operationId: "msgr_posts_search_stats",
  path: "/v1/msgr/posts/search/stats/",
  tag: "Posts",
  title: "A word over time",
  description:
    "How many posts match by day, week or month, how often they were viewed, and whose they are: the filters and " +
    `the words are those of post search, the period has at most ${PERIOD_DAYS_MAX} Moscow days. Weeks begin on Monday; ` +
    "the first period and the last have the days of the whole period only. `posts` are exact unless `note` says so; of more than 50,000 " +
    "matches, one in n is looked at for views and channels, and `sampled` says n. Details: /docs/words/. " +
    "From the Start plan.",
  tool:
    "How often {messenger} writes words, and who most: posts, views and channels by `group`, top 20 channels. " +
    "A period is about 60 characters, a channel about 170. " +
    STRANGERS_WORDS,
  units: 1,
  planRule: postsIncluded,
  parameters: {
    ...searchParameters,
    from: day(
      `First Moscow day, included; by default ${PERIOD_DAYS_DEFAULT - 1} days before \`to\`.`,
      { example: "2024-11-01" },
    ),
    to: periodDays.to,
    group: withDefault(choice(PERIOD_LENGTHS, "Length of a period."), "day"),
    ...fieldsOf(overTimeSchema),
  },
  result: overTimeSchema,
  async run(args, { services, nowMs, told }) {
    const { query, filter } = readSearch(args, services);
    const { group, to: last = dayOf(nowMs), from: first = last - PERIOD_DAYS_DEFAULT + 1 } = args;
    const { from, to } = readPeriod({ from: first, to: last }, last);
    const { note, ...found } = await services.postSearch.overTime({
      query,
      filter,
      group,
      from,
      to,
    });
    return { ...found, note: note && told(note) };
  },
});
