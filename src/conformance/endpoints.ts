import type { ClauseId } from "./clauses.ts";

/** Plans from the lowest to the highest. */
export const PLANS = ["test", "start", "growth", "profi"] as const;
export type Plan = (typeof PLANS)[number];

/** What a parameter takes: the name of a kind in `parameter-kinds.ts`, or its values, separated by `|`. */
type ParameterKind = string;

export interface Endpoint {
  /** The tool's name, where the method is one. */
  operation: string;
  method?: "POST" | "PATCH" | "DELETE";
  /** Braces name what `seen` finds in the catalog. */
  path: string;
  /** Query of a call that succeeds. */
  query?: string;
  units: number;
  /** The lowest plan that has the method. */
  from: Plan;
  clause: ClauseId;
  parameters?: Readonly<Record<string, ParameterKind>>;
  /** Whether a read-and-write key of an owner or administrator is needed. */
  isWrite?: true;
  /** Whether the answer is a file rather than an object. */
  isFile?: true;
}

const DAYS = { from: "day", to: "day" };
const PAGE = { limit: "limit", cursor: "cursor", fields: "fields" };
const SELECTION = {
  q: "substring",
  category: "code",
  territory: "code",
  kind: "channel|chat",
  subscribers_min: "count",
  subscribers_max: "count",
  a_plus: "boolean",
  verified: "boolean",
  growth_30d_min: "integer",
  reach_30d_min: "count",
  ...{ reach_24h_min: "count", reach_48h_min: "count" },
  ...{ ad_reach_24h_min: "count", ad_reach_48h_min: "count" },
};
export const ORDERINGS = ["-subscribers", "-quality", "-citation", "-last_post_at"] as const;
export const METRIC_ORDERINGS = [
  "-growth_7d",
  "-growth_30d",
  "-growth_30d_percent",
  "-reach_30d",
  "-err_30d",
  ...(["-reach_24h", "-reach_48h", "-ad_reach_24h", "-ad_reach_48h"] as const),
] as const;
const WEBHOOK = "/v1/msgr/webhooks/{webhook}/";
const ALERT = "/v1/msgr/alerts/{alert}/";

/** Methods that only read, MCP's tools first, in the order of the specification's tables. */
export const READS: readonly Endpoint[] = [
  { operation: "me_retrieve", path: "/v1/me/", units: 0, from: "test", clause: "spec 4 me" },
  {
    ...{ operation: "msgr_channels_resolve_retrieve", path: "/v1/msgr/channels/resolve/" },
    ...{ query: "q=@{handle}", units: 1, from: "test", clause: "spec 4 resolve" },
    parameters: { q: "required", fields: "fields" },
  },
  {
    ...{ operation: "msgr_channels_list", path: "/v1/msgr/channels/", query: "limit=2" },
    ...{ units: 1, from: "test", clause: "spec 4 catalog" },
    parameters: {
      ...SELECTION,
      ids: "numbers",
      ordering: [...ORDERINGS, ...METRIC_ORDERINGS].join("|"),
      include: "metrics",
      ...PAGE,
    },
  },
  {
    ...{ operation: "msgr_channels_retrieve", path: "/v1/msgr/channels/{channel}/" },
    ...{ units: 1, from: "test", clause: "spec 4 card" },
    parameters: { include: "metrics", fields: "fields" },
  },
  {
    ...{ operation: "msgr_stats_daily_list", path: "/v1/msgr/stats/daily/" },
    ...{ query: "channels={channel}", units: 1, from: "test", clause: "spec 4 statistics" },
    parameters: { channels: "required numbers", ...DAYS, fields: "fields" },
  },
  {
    ...{ operation: "msgr_channels_posts_retrieve", path: "/v1/msgr/channels/{posting}/posts/" },
    ...{ query: "limit=2", units: 1, from: "start", clause: "spec 4 posts" },
    parameters: { ...DAYS, is_ad: "boolean", ...PAGE },
  },
  {
    ...{ operation: "msgr_posts_retrieve", path: "/v1/msgr/posts/{post}/" },
    ...{ units: 1, from: "start", clause: "spec 4 post", parameters: { fields: "fields" } },
  },
  {
    ...{ operation: "msgr_categories_list", path: "/v1/msgr/categories/", units: 0, from: "test" },
    ...{ clause: "spec 4 categories", parameters: { fields: "fields" } },
  },
  {
    ...{ operation: "msgr_territories_list", path: "/v1/msgr/territories/", query: "kind=country" },
    ...{ units: 0, from: "test", clause: "spec 4 territories" },
    parameters: { kind: "country|district|region|city", parent: "code", fields: "fields" },
  },
  {
    ...{ operation: "msgr_posts_search_list", path: "/v1/msgr/posts/search/" },
    ...{ query: "q={word}&limit=2", units: 1, from: "start", clause: "questions 1" },
    parameters: {
      q: "required",
      ...{ channel: "channel", category: "code", territory: "code", ...DAYS, is_ad: "boolean" },
      media: "photo|video|audio|voice|document|poll|sticker|other",
      views_min: "count",
      ordering: "-published_at|-views|-relevance",
      ...PAGE,
    },
  },
  {
    ...{ operation: "msgr_channels_compare_list", path: "/v1/msgr/channels/compare/" },
    ...{ query: "channels={channel}", units: 1, from: "test", clause: "questions 2" },
    parameters: { channels: "required numbers", ...DAYS, fields: "fields" },
  },
  {
    ...{ operation: "msgr_channels_stats_retrieve", path: "/v1/msgr/channels/stats/" },
    ...{ units: 1, from: "test", clause: "questions 2" },
    parameters: { ...SELECTION, fields: "fields" },
  },
  {
    ...{ operation: "msgr_channels_mentions_list", path: "/v1/msgr/channels/{channel}/mentions/" },
    ...{ query: "limit=2", units: 1, from: "start", clause: "questions 3" },
    parameters: { ...DAYS, kind: "link|forward", ...PAGE },
  },
  {
    ...{ operation: "msgr_channels_similar_list", path: "/v1/msgr/channels/{channel}/similar/" },
    ...{ units: 1, from: "start", clause: "questions 3", parameters: { fields: "fields" } },
  },
];

/** MCP's tools: the specification's nine, and those beyond it. */
export const TOOLS = READS;

const FILE = { units: 1, from: "profi", clause: "questions 5", isFile: true } as const;
/** What an export takes; a file that is asked for with success can be long, so only small ones are. */
const EXPORTED = { format: "csv|ndjson", category: "code", territory: "code", cursor: "cursor" };

/** Methods that no tool offers. */
export const MORE: readonly Endpoint[] = [
  {
    ...{ operation: "me_usage_list", path: "/v1/me/usage/", units: 0, from: "test" },
    ...{ clause: "decisions 4 usage", parameters: { ...DAYS, ...PAGE, limit: "page size" } },
  },
  {
    ...{ operation: "msgr_export_channels_retrieve", path: "/v1/msgr/export/channels/" },
    ...{ query: "q={title}", parameters: { ...EXPORTED, a_plus: "boolean" }, ...FILE },
  },
  {
    ...{ operation: "msgr_export_stats_retrieve", path: "/v1/msgr/export/stats/" },
    ...{ query: "channel={channel}", parameters: { ...EXPORTED, ...DAYS }, ...FILE },
  },
  {
    ...{ operation: "msgr_export_posts_retrieve", path: "/v1/msgr/export/posts/" },
    query: "channel={posting}",
    ...{ parameters: { ...EXPORTED, ...DAYS, views_min: "count" }, ...FILE },
  },
];

const HOOKS = { units: 0, from: "growth", clause: "spec 4 webhooks" } as const;
const ALERTS = { units: 0, from: "growth", clause: "questions 4" } as const;

/** Webhooks and alerts. */
export const MANAGED: readonly Endpoint[] = [
  {
    ...{ operation: "msgr_webhooks_list", path: "/v1/msgr/webhooks/", ...HOOKS },
    parameters: PAGE,
  },
  {
    ...{ operation: "msgr_webhooks_create", method: "POST", path: "/v1/msgr/webhooks/" },
    ...{ isWrite: true, ...HOOKS },
  },
  { operation: "msgr_webhooks_retrieve", path: WEBHOOK, ...HOOKS },
  {
    operation: "msgr_webhooks_partial_update",
    method: "PATCH",
    path: WEBHOOK,
    isWrite: true,
    ...HOOKS,
  },
  { operation: "msgr_webhooks_destroy", method: "DELETE", path: WEBHOOK, isWrite: true, ...HOOKS },
  {
    ...{
      operation: "msgr_webhooks_rotate_secret",
      method: "POST",
      path: `${WEBHOOK}rotate-secret/`,
    },
    ...{ isWrite: true, ...HOOKS },
  },
  { operation: "msgr_webhooks_test", method: "POST", path: `${WEBHOOK}test/`, ...HOOKS },
  { operation: "msgr_alerts_list", path: "/v1/msgr/alerts/", parameters: PAGE, ...ALERTS },
  {
    ...{ operation: "msgr_alerts_create", method: "POST", path: "/v1/msgr/alerts/" },
    ...{ isWrite: true, ...ALERTS },
  },
  { operation: "msgr_alerts_retrieve", path: ALERT, ...ALERTS },
  {
    operation: "msgr_alerts_partial_update",
    method: "PATCH",
    path: ALERT,
    isWrite: true,
    ...ALERTS,
  },
  { operation: "msgr_alerts_destroy", method: "DELETE", path: ALERT, isWrite: true, ...ALERTS },
  {
    operation: "msgr_alerts_preview",
    method: "POST",
    path: `${ALERT}preview/`,
    ...ALERTS,
    units: 1,
  },
];

export const ENDPOINTS: readonly Endpoint[] = [...READS, ...MORE, ...MANAGED];

/** The path with numbers that need not exist, for what is refused before anything is looked up. */
export const anyPath = ({ path }: Endpoint): string => path.replace(/\{\w+\}/g, "1");

/** An endpoint's name in titles. */
export const nameOf = ({ method, path }: Endpoint): string => `${method ?? "GET"} ${path}`;
