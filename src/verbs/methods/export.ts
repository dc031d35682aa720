import { EXPORTS_MAX } from "../../catalog/exports/bulk.ts";
import type { BulkFilter, BulkKind, BulkSelection } from "../../catalog/exports/bulk-selection.ts";
import { cursorColumns, ROWS_PER_UNIT } from "../../catalog/exports/paid-parts.ts";
import type { ImportFormat } from "../../catalog/imports/reading/recognized.ts";
import type { Media } from "../../catalog/posts/post.ts";
import { type FieldFaults, fieldError } from "../../errors.ts";
import type { Day } from "../../values/moscow-time.ts";
import * as shape from "../../values/schema.ts";
import { exportIncluded } from "../admission.ts";
import { apiMethod, type Call, FileAnswer } from "../method.ts";
import { INVALID_CURSOR } from "../paging.ts";
import { choice, day, text, withDefault } from "../parameters.ts";
import { requireOrder } from "../period.ts";
import type { Services } from "../services.ts";
import type { FilterArguments } from "./catalog-filter.ts";
import { filterParameters, readAnyFilter, readChannel } from "./catalog-filter.ts";
import { QUERY_LENGTH_MAX, QUERY_LENGTH_MIN } from "./post-query.ts";
import { postFilters, readSearch } from "./post-search.ts";

/** Media type by format, starting with the default. */
const TYPES: Record<ImportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson",
};

const format = withDefault(
  choice<ImportFormat>(["csv", "ndjson"], "`csv`, or a JSON object on each line."),
  "csv",
);
const cursor = (columns: string, example: string) =>
  text(
    `To continue after a row that arrived: its ${columns}. Repeat the same filters; ` +
      "CSV then starts without the header line.",
    { example },
  );
const ofChannels = {
  category: text("Code (`slug`) of a category; matches by primary or additional category.", {
    example: "science",
  }),
  territory: filterParameters.territory,
};
const channel = text(
  "Service number, handle or link of a single channel; all channels by default.",
  { example: "nsmag" },
);
const days = {
  from: day("First Moscow day, included.", { example: "2024-11-01" }),
  to: day("Last Moscow day, included.", { example: "2024-11-30" }),
};

const description = (what: string, order: string): string =>
  `${what} as a streamed file ordered by ${order}. Public channels only. ` +
  `From the Profi plan, ${EXPORTS_MAX} at a time. Every ${ROWS_PER_UNIT.toLocaleString("en")} rows begun cost a unit, ` +
  "counted before they are sent; the request itself costs the first one. A file that could not be sent completely ends " +
  "with a line that says why and where to continue; see [the guide](http://127.0.0.1:8080/docs/export/). Compressed for " +
  "`Accept-Encoding: gzip`.";

const common = {
  tag: "Export",
  units: 1,
  planRule: exportIncluded,
  fileTypes: Object.values(TYPES),
  result: shape.text(),
  errors: [],
} as const;

export const exportChannels = apiMethod({
  ...common,
  operationId: "msgr_export_channels_retrieve",
  path: "/v1/msgr/export/channels/",
  title: "Export of channels",
  description: description("Channel cards, with the catalog's filters,", "`id`"),
  parameters: {
    format,
    ...filterParameters,
    cursor: cursor("`id`", "1000"),
  },
  run: (args, call) => answer("channels", args, call),
});

export const exportStats = apiMethod({
  ...common,
  operationId: "msgr_export_stats_retrieve",
  path: "/v1/msgr/export/stats/",
  title: "Export of daily statistics",
  description: description("Daily statistics", "`channel:day`"),
  parameters: {
    format,
    channel,
    ...ofChannels,
    ...days,
    cursor: cursor("`channel:day`", "17:2024-11-30"),
  },
  run: (args, call) => answer("stats", args, call),
});

export const exportPosts = apiMethod({
  ...common,
  operationId: "msgr_export_posts_retrieve",
  path: "/v1/msgr/export/posts/",
  title: "Export of posts",
  description: description(
    "Posts, with the filters of post search,",
    "`id`; by channel and time if a filter excludes channels or days, or with `is_ad=true`; newest first with `q`",
  ),
  parameters: {
    format,
    channel,
    ...ofChannels,
    ...days,
    q: text(
      `Words, ${QUERY_LENGTH_MIN} to ${QUERY_LENGTH_MAX} characters, with the same syntax as in post search; ` +
        "all posts that match are exported.",
      { example: "новости" },
    ),
    ...postFilters,
    cursor: cursor(
      "`id`; without `q`, `channel:id` if a filter excludes channels or days, or with `is_ad=true`",
      "1000",
    ),
  },
  run({ q, ...args }, call) {
    const found = q === undefined ? null : readSearch({ ...args, q }, call.services);
    return answer("posts", args, call, found);
  },
});

interface Given extends FilterArguments {
  format: ImportFormat;
  channel?: string | undefined;
  from?: Day | undefined;
  to?: Day | undefined;
  is_ad?: boolean | undefined;
  media?: Media | undefined;
  views_min?: number | undefined;
  cursor: string | undefined;
}

async function answer(
  rows: BulkKind,
  args: Given,
  call: Call,
  found: BulkSelection["found"] = null,
): Promise<FileAnswer> {
  const { from, to } = args;
  requireOrder(args);
  const { bulk } = call.services;
  const selection: BulkSelection = {
    ...readSelected(args, call.services),
    rows,
    format: args.format,
    from: from ?? null,
    to: to ?? null,
    isAd: args.is_ad ?? null,
    media: args.media ?? null,
    viewsMin: args.views_min ?? null,
    removals: bulk.seenRemovals(rows),
    found,
  };
  const after = args.cursor === undefined ? null : bulk.positionOf(args.cursor, selection);
  if (args.cursor !== undefined && after === null) throw fieldError({ cursor: [INVALID_CURSOR] });
  const file = await bulk.start(selection, after, {
    organizationId: call.caller.organization.id,
    charge: call.chargeMore,
  });
  const name = `${rows}.${args.format}`;
  const headers = {
    "content-disposition": `attachment; filename="${name}"`,
    "x-export-cursor": cursorColumns(selection),
  };
  return new FileAnswer(TYPES[args.format], headers, file);
}

/**
 * Reads the filters, which mean the same as in the catalog. Category and territories stay slugs.
 * @throws AppError `invalid` listing all invalid ones
 */
function readSelected(args: Given, services: Services): BulkFilter {
  const faults: FieldFaults = {};
  const { category = null, territory, kind = null } = args;
  const named = readChannel(args.channel, services.channels, faults);
  const {
    channelId,
    categoryId: _,
    territoryId: __,
    ...rest
  } = readAnyFilter(args, services, faults);
  const territories = territory === undefined ? null : services.directory.branch(territory);
  return { ...rest, kind, category, territories, channelId: named ?? channelId };
}
