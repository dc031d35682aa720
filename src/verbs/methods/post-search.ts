import {
  type FoundPosition,
  type FoundPost,
  POST_ORDERINGS,
  type PostFilter,
} from "../../catalog/post-search/post-search.ts";
import { MEDIA, postSchema } from "../../catalog/posts/post.ts";
import { type FieldFaults, fieldError } from "../../errors.ts";
import { readText } from "../../values/fields.ts";
import { pageJson } from "../../values/json-text.ts";
import { message } from "../../values/messages/messages.ts";
import type { ValueOf } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";
import { postsIncluded } from "../admission.ts";
import { apiMethod, STRANGERS_WORDS } from "../method.ts";
import { pageOf, pageParameters, readPage } from "../paging.ts";
import {
  type Arguments,
  choice,
  fieldsOf,
  integer,
  parameter,
  required,
  text,
  withDefault,
} from "../parameters.ts";
import { publicationDays, readPublicationDays } from "../period.ts";
import type { Services } from "../services.ts";
import { channelPath, filterParameters, readChannel, readFacets } from "./catalog-filter.ts";
import { QUERY_LENGTH_MAX, QUERY_LENGTH_MIN, readQueryText } from "./post-query.ts";
import { advertising } from "./posts.ts";

const foundPostSchema = shape.object(
  {
    ...postSchema.properties,
    snippet: shape.text({
      maxLength: 200,
      description: "Plain text around the first hit, on one line, at most 200 code points",
    }),
    highlights: shape.list(
      shape.list(shape.integer({ minimum: 0 }), { minItems: 2, maxItems: 2 }),
      "Hits in `snippet`: pairs of start and end offsets in code points, the end excluded",
    ),
  },
  "FoundPost",
);

const page = pageOf(foundPostSchema);

const counts = shape.object({
  matches: shape.integer({
    minimum: 0,
    description: "Number of matching posts, counted up to 10,000; `note` says if to fewer",
  }),
  matches_capped: shape.flag("Whether there may be more matches than were counted"),
  note: shape.nullable(shape.text("What was not counted or ranked; null if nothing")),
});
type Counts = ValueOf<typeof counts>;

/** Filters on posts themselves, for search and export. */
export const postFilters = {
  ...advertising,
  media: choice(MEDIA, "A kind of media that the post has."),
  views_min: integer("Minimum number of views.", { example: 1000, minimum: 0 }),
};

export const searchParameters = {
  q: required(
    text(`Words, ${QUERY_LENGTH_MIN} to ${QUERY_LENGTH_MAX} characters.`, { example: "новости" }),
  ),
  // As in paths: this schema tells assistants about numbers and handles.
  channel: parameter(channelPath.schema, readText),
  category: filterParameters.category,
  territory: filterParameters.territory,
  ...publicationDays,
  ...postFilters,
};

export const postsSearchList = apiMethod({
  operationId: "msgr_posts_search_list",
  path: "/v1/msgr/posts/search/",
  tag: "Posts",
  title: "Post search",
  description:
    "Searches the texts of all posts; filters combine with AND. Words are joined by AND and match in " +
    'any form, in Russian and English; `"a b"` is a phrase, `-w` excludes a word, `a | b` finds either, ' +
    "`w*` finds words that begin with w, at least three letters, `=w` the exact form, `#tag` and `@handle` tags and " +
    "handles. Other signs are ignored: `(w)` is read as w, `#w*` as #w; `highlights` show what was found. With `=w`, " +
    "and with some `w*`, texts decide: a page may have fewer posts than `limit`, and the last page is the one without " +
    "`next`. `note` says what was not counted or ranked. From the Start plan.",
  tool:
    "Posts of all {messenger} channels with the words of `q` in any form, newest first; " +
    '`"a b"`, `-w`, `a | b`, `w*`, `=w`, `#tag`, `@handle`. A post is about 1,300 to 2,200 characters, with ' +
    "`fields` id,channel,published_at,snippet about 270. " +
    STRANGERS_WORDS,
  units: 1,
  planRule: postsIncluded,
  parameters: {
    ...searchParameters,
    ordering: withDefault(
      choice(
        POST_ORDERINGS,
        "Descending with a minus: `published_at` gives the oldest first. `-relevance` ranks the newest 2,000 " +
          "matches by words and age, on one page.",
      ),
      "-published_at",
    ),
    ...pageParameters,
    ...fieldsOf(foundPostSchema),
  },
  toolDefaults: { args: { limit: 10 } },
  result: shape.object({ ...page.properties, ...counts.properties }),
  async run(args, call) {
    const { services, nowMs } = call;
    const { query, filter } = readSearch(args, services);
    const { ordering, limit } = args;
    return readPage<FoundPost, FoundPosition, Counts>(call, async (after) => {
      const selection = { query, filter, ordering, after, limit, nowMs };
      const { matches, isCapped, note, ...slice } = await services.postSearch.page(selection);
      const counts = { matches, matches_capped: isCapped, note: note && call.told(note) };
      return { ...slice, more: counts };
    });
  },
});

/** The most viewed posts of a period, whatever their words: how the site's search opens. No part of the API. */
export const mostViewedPosts = apiMethod({
  operationId: "msgr_posts_most_viewed",
  path: "/v1/msgr/posts/most-viewed/",
  tag: "Posts",
  title: "Most viewed posts",
  description: "",
  units: 0,
  planRule: postsIncluded,
  parameters: {
    ...publicationDays,
    category: filterParameters.category,
    territory: filterParameters.territory,
    ...postFilters,
  },
  result: page,
  async run(args, { services, nowMs }) {
    const query = { all: [], none: [] };
    const filter = readPostFilter(args, services, {}, null);
    const selection = { query, filter, ordering: "-views", after: null, limit: 20, nowMs } as const;
    const { results } = await services.postSearch.page(selection);
    return pageJson(results, null);
  },
});

/**
 * Reads the query and the filters of a search in posts.
 * @throws AppError `invalid` listing all invalid arguments; `unavailable` while post search is not ready
 */
export function readSearch(args: Arguments<typeof searchParameters>, services: Services) {
  const faults: FieldFaults = {};
  const text = readQueryText(args.q, message("nothingToSearch"));
  if ("fault" in text) faults["q"] = [text.fault];
  const channelId = readChannel(args.channel, services.channels, faults);
  const filter = readPostFilter(args, services, faults, channelId);
  if ("fault" in text) throw fieldError(faults);
  return { query: text.value.query, filter };
}

/** @param faults found earlier; all are thrown together */
function readPostFilter(
  args: Omit<Arguments<typeof searchParameters>, "q" | "channel">,
  { directory, postSearch }: Services,
  faults: FieldFaults,
  channelId: number | null,
): PostFilter {
  const facets = readFacets(args, directory, faults);
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  const days = readPublicationDays(args);
  postSearch.requireReady();
  return {
    channelId,
    ...facets,
    ...days,
    isAd: args.is_ad ?? null,
    media: args.media ?? null,
    viewsMin: args.views_min ?? null,
  };
}
