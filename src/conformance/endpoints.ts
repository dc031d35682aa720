import type { ClauseId } from "./check.ts";

/** Plans from the lowest to the highest. */
export const PLANS = ["test", "start", "growth", "profi"] as const;
export type Plan = (typeof PLANS)[number];

export interface Endpoint {
  /** The tool's name, where the method is one. */
  operation: string;
  method: string;
  /** Braces name what `fill` finds in the catalog. */
  path: string;
  /** Query of a call that succeeds. */
  query: string;
  units: number;
  /** The lowest plan that has the method. */
  from: Plan;
  clause: ClauseId;
  /** What each parameter takes: a kind of `parameter-kinds.ts`, or its values, separated by `|`. */
  parameters: Readonly<Record<string, string>>;
}

/** @param place verb (none is GET), path and query of a call that succeeds */
function endpoint(
  operation: string,
  place: string,
  units: number,
  from: Plan,
  clause: ClauseId,
  parameters: Endpoint["parameters"] = {},
): Endpoint {
  const [, method = "GET", path = "", query = ""] = /^(?:(\w+) )?([^?]*)\??(.*)$/.exec(place) ?? [];
  return { operation, method, path, query, units, from, clause, parameters };
}

const DAYS = { from: "day", to: "day" };
const FIELDS = { fields: "fields" };
const PAGE = { limit: "limit", cursor: "cursor", ...FIELDS };
const CODES = { category: "code", territory: "code" };
const SELECTION = {
  ...{ q: "substring", ...CODES, kind: "channel|chat" },
  ...{ subscribers_min: "count", subscribers_max: "count", a_plus: "boolean", verified: "boolean" },
  ...{ growth_30d_min: "integer", reach_30d_min: "count" },
  ...{ reach_24h_min: "count", reach_48h_min: "count" },
  ...{ ad_reach_24h_min: "count", ad_reach_48h_min: "count" },
};
export const ORDERINGS = ["-subscribers", "-quality", "-citation", "-last_post_at"];
export const METRIC_ORDERINGS = [
  ...["-growth_7d", "-growth_30d", "-growth_30d_percent", "-reach_30d", "-err_30d"],
  ...["-reach_24h", "-reach_48h", "-ad_reach_24h", "-ad_reach_48h"],
];
const LISTED = {
  ...{ ids: "numbers", ordering: [...ORDERINGS, ...METRIC_ORDERINGS].join("|") },
  ...{ include: "metrics", ...PAGE },
};
const MEDIA = "photo|video|audio|voice|document|poll|sticker|other";
const FOUND = { ordering: "-published_at|-views|-relevance", views_min: "count", media: MEDIA };
const V1 = "/v1/msgr/";
const HANDLE = `${V1}channels/resolve/?q=@{handle}`;
const CARD = `${V1}channels/{channel}/`;
const POSTS = `${V1}channels/{posting}/posts/?limit=2`;
const SEARCH = `${V1}posts/search/?q={word}&limit=2`;
const WORD = `${V1}posts/search/stats/?q={word}`;
const STATS = `${V1}stats/daily/?channels={channel}`;
const COMPARE = `${V1}channels/compare/?channels={channel}`;

/** MCP's tools: the specification's nine, and those beyond it, in their order. */
export const TOOLS: readonly Endpoint[] = [
  endpoint("me_retrieve", "/v1/me/", 0, "test", "spec 4 me"),
  endpoint("msgr_channels_resolve_retrieve", HANDLE, 1, "test", "spec 4 resolve", {
    ...{ q: "required", ...FIELDS },
  }),
  endpoint("msgr_channels_list", `${V1}channels/?limit=2`, 1, "test", "spec 4 catalog", {
    ...{ ...SELECTION, ...LISTED },
  }),
  endpoint("msgr_channels_retrieve", CARD, 1, "test", "spec 4 card", {
    ...{ include: "metrics", ...FIELDS },
  }),
  endpoint("msgr_stats_daily_list", STATS, 1, "test", "spec 4 statistics", {
    ...{ channels: "required numbers", ...DAYS, ...FIELDS },
  }),
  endpoint("msgr_channels_posts_retrieve", POSTS, 1, "start", "spec 4 posts", {
    ...{ ...DAYS, is_ad: "boolean", ...PAGE },
  }),
  endpoint("msgr_posts_retrieve", `${V1}posts/{post}/`, 1, "start", "spec 4 post", FIELDS),
  endpoint("msgr_categories_list", `${V1}categories/`, 0, "test", "spec 4 categories", FIELDS),
  endpoint(
    "msgr_territories_list",
    `${V1}territories/?kind=country`,
    0,
    "test",
    "spec 4 territories",
    {
      ...{ kind: "country|district|region|city", parent: "code", ...FIELDS },
    },
  ),
  endpoint("msgr_posts_search_list", SEARCH, 1, "start", "questions 1", {
    ...{
      q: "required",
      channel: "channel",
      ...CODES,
      ...DAYS,
      is_ad: "boolean",
      ...FOUND,
      ...PAGE,
    },
  }),
  endpoint("msgr_channels_compare_list", COMPARE, 1, "test", "questions 2", {
    ...{ channels: "required numbers", ...DAYS, ...FIELDS },
  }),
  endpoint("msgr_channels_stats_retrieve", `${V1}channels/stats/`, 1, "test", "questions 2", {
    ...{ ...SELECTION, ...FIELDS },
  }),
  endpoint("msgr_channels_mentions_list", `${CARD}mentions/?limit=2`, 1, "start", "questions 3", {
    ...{ ...DAYS, kind: "link|forward", ...PAGE },
  }),
  endpoint("msgr_channels_similar_list", `${CARD}similar/`, 1, "start", "questions 3", FIELDS),
  endpoint("msgr_posts_search_stats", WORD, 1, "start", "questions 8", {
    ...{ q: "required", channel: "channel", ...CODES, ...DAYS, is_ad: "boolean" },
    ...{ media: MEDIA, views_min: "count", group: "day|week|month", ...FIELDS },
  }),
  endpoint("msgr_trends_list", `${V1}trends/`, 1, "start", "questions 10", {
    ...{ hours: "hours", ...CODES, limit: "page size", ...FIELDS },
  }),
];

/** What an export takes. A file that is asked for with success can be long, so only small ones are. */
const EXPORT = { format: "csv|ndjson", ...CODES, cursor: "cursor" };
const exported = (kind: string, query: string, more: Endpoint["parameters"]): Endpoint =>
  endpoint(
    `msgr_export_${kind}_retrieve`,
    `${V1}export/${kind}/?${query}`,
    1,
    "profi",
    "questions 5",
    {
      ...{ ...EXPORT, ...more },
    },
  );

/** Methods that only read, with those that no tool offers. */
export const READS: readonly Endpoint[] = [
  ...TOOLS,
  endpoint("me_usage_list", "/v1/me/usage/", 0, "test", "decisions 4 usage", {
    ...{ ...DAYS, ...PAGE, limit: "page size" },
  }),
  endpoint("msgr_lists_list", `${V1}lists/`, 0, "test", "reach 6", FIELDS),
  endpoint(
    "msgr_lists_channels_list",
    `${V1}lists/{list}/channels/?limit=2`,
    1,
    "test",
    "reach 6",
    {
      ...{ include: "metrics", ...PAGE },
    },
  ),
  exported("channels", "q={title}", { a_plus: "boolean" }),
  exported("stats", "channel={channel}", DAYS),
  exported("posts", "channel={posting}", { ...DAYS, views_min: "count" }),
];

export const isFile = ({ path }: Endpoint): boolean => path.includes("/export/");

/** The methods of webhooks, and of alerts, which are alike. */
const managed = (name: string, one: string, clause: ClauseId): Endpoint[] => {
  const path = `${V1}${name}/`;
  const of = (operation: string, place: string, parameters = {}) =>
    endpoint(`msgr_${name}_${operation}`, place, 0, "growth", clause, parameters);
  return [
    of("list", path, PAGE),
    of("create", `POST ${path}`),
    of("retrieve", `${path}{${one}}/`),
    of("partial_update", `PATCH ${path}{${one}}/`),
    of("destroy", `DELETE ${path}{${one}}/`),
  ];
};
const hook = (verb: string, operation: string): Endpoint =>
  endpoint(operation, `POST ${V1}webhooks/{webhook}/${verb}/`, 0, "growth", "spec 4 webhooks");

export const MANAGED: readonly Endpoint[] = [
  ...managed("webhooks", "webhook", "spec 4 webhooks"),
  hook("rotate-secret", "msgr_webhooks_rotate_secret"),
  hook("test", "msgr_webhooks_test"),
  ...managed("alerts", "alert", "questions 4"),
  endpoint("msgr_alerts_preview", `POST ${V1}alerts/{alert}/preview/`, 1, "growth", "questions 4"),
];

const ownList = (operation: string, place: string): Endpoint =>
  endpoint(`msgr_lists_${operation}`, place, 0, "test", "reach 6");

/** A member's own things, which it changes: a read-and-write key is enough, on every plan. */
export const OWN: readonly Endpoint[] = [
  ownList("create", `POST ${V1}lists/`),
  ownList("retrieve", `${V1}lists/{list}/`),
  ownList("partial_update", `PATCH ${V1}lists/{list}/`),
  ownList("destroy", `DELETE ${V1}lists/{list}/`),
];

export const ENDPOINTS: readonly Endpoint[] = [...READS, ...OWN, ...MANAGED];

/** The path with numbers that need not exist, for what is refused before anything is looked up. */
export const anyPath = ({ path }: Endpoint): string => path.replace(/\{\w+\}/g, "1");

/** An endpoint's name in titles. */
export const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;
