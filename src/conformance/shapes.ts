import { type Fault, isObject, type Json, shown } from "./check.ts";
import type { ClauseId } from "./clauses.ts";

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+03:00$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);

/** What a field may hold, by name; `a|b` is one of these words, and `?` at the end means null as well. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  count: isCount,
  number: isNumber,
  text: isText,
  flag: (value) => typeof value === "boolean",
  object: isObject,
  moment: (value) => isText(value) && MOMENT.test(String(value)),
  day: (value) => isText(value) && DAY.test(String(value)),
  texts: (value) => isListOf(value, isText),
  counts: (value) => isListOf(value, isCount),
  numbers: (value) => isListOf(value, isNumber),
  pairs: (value) =>
    isListOf(value, (pair) => isListOf(pair, isCount) && String(pair).includes(",")),
  objects: (value) => isListOf(value, isObject),
};

/** Whether a field of an object is there and holds what it may. */
export function fieldFault(object: Json, field: string, type: string): Fault {
  if (!Object.hasOwn(object, field)) return `${field} is missing in ${shown(object)}`;
  const value = object[field];
  const name = type.replace("?", "");
  if (type.endsWith("?") && value === null) return null;
  const holds = TYPES[name]?.(value) ?? name.split("|").includes(String(value));
  return holds ? null : `${field} is ${shown(value)}, not ${type}`;
}

type Fields = Readonly<Record<string, string>>;

/** Fields of resources, by the part of the specification that names them. */
export const SHAPES: readonly { resource: string; clause: ClauseId; fields: Fields }[] = [
  {
    ...{ resource: "category", clause: "spec 2 category" },
    fields: { id: "count", slug: "text", name: "text", channels: "count", image: "text?" },
  },
  {
    ...{ resource: "territory", clause: "spec 2 territory" },
    fields: {
      ...{ id: "count", slug: "text", name: "text", kind: "country|district|region|city" },
      ...{ parent: "text?", path: "text", channels: "count" },
    },
  },
  {
    ...{ resource: "channel", clause: "spec 2 channel" },
    fields: { id: "count", title: "text", subscribers: "count" },
  },
  {
    ...{ resource: "channel", clause: "decisions 2" },
    fields: {
      ...{ handle: "text?", description: "text?", link: "text?", image: "text?" },
      ...{ kind: "channel|chat", category: "text?", categories: "texts", territory: "text?" },
      ...{ a_plus: "flag", verified: "flag", quality: "number?", citation: "number?" },
      last_post_at: "moment?",
    },
  },
  {
    ...{ resource: "channel", clause: "living-data 1", fields: { former_handles: "texts" } },
  },
  {
    ...{ resource: "post", clause: "spec 2 post" },
    fields: { id: "count", channel: "count", text: "text", views: "count" },
  },
  {
    ...{ resource: "post", clause: "decisions 2" },
    fields: { is_ad: "flag", published_at: "moment", link: "text?" },
  },
  {
    ...{ resource: "post", clause: "living-data 2" },
    fields: {
      ...{ edited_at: "moment?", views_at: "moment?", media: "texts?", forwards: "count?" },
      ...{ reactions: "count?", comments: "count?", forwarded_from: "count?" },
      ...{ forwarded_from_name: "text?", album: "text?" },
    },
  },
  {
    ...{ resource: "post", clause: "questions 9" },
    fields: {
      ...{ views_1h: "count?", views_12h: "count?", views_24h: "count?", views_48h: "count?" },
    },
  },
  {
    ...{ resource: "statistics", clause: "spec 2 statistics" },
    fields: { day: "day", subscribers: "count", views: "count" },
  },
  {
    ...{ resource: "statistics", clause: "decisions 2" },
    fields: { channel: "count", posts: "count" },
  },
  {
    ...{ resource: "account", clause: "spec 2 account" },
    fields: {
      ...{ key: "object", organization: "object", usage: "object" },
      ...{ api_tariff: "test|start|growth|profi", remaining_period: "count" },
    },
  },
  {
    ...{ resource: "account", clause: "decisions 2" },
    fields: { member: "object", tariff_ends_at: "moment?", limits: "object" },
  },
  {
    ...{ resource: "account.key", clause: "decisions 2" },
    fields: {
      ...{ id: "count", name: "text", prefix: "text", access: "text", created_at: "moment" },
      ...{ last_used_at: "moment?", expires_at: "moment?" },
    },
  },
  {
    ...{ resource: "account.member", clause: "decisions 2" },
    fields: { id: "count", name: "text?", email: "text", role: "owner|administrator|member" },
  },
  {
    ...{ resource: "account.organization", clause: "decisions 2" },
    fields: { id: "count", name: "text" },
  },
  {
    ...{ resource: "account.limits", clause: "decisions 2" },
    fields: {
      ...{ requests_per_second: "count", requests_per_period: "count", period_days: "count" },
      ...{ webhooks: "count", webhook_channels: "count", posts: "flag", history_days: "count?" },
    },
  },
  {
    ...{ resource: "account.usage", clause: "decisions 2" },
    fields: { period_started_at: "moment", period_ends_at: "moment", used: "count" },
  },
  {
    ...{ resource: "webhook", clause: "spec 2 webhook" },
    fields: {
      ...{ id: "count", url: "text", channels: "counts", is_active: "flag" },
      ...{ disabled_reason: "text", last_success_at: "moment?", last_error: "text" },
    },
  },
  {
    ...{ resource: "webhook", clause: "decisions 2" },
    fields: { created_at: "moment", updated_at: "moment" },
  },
  {
    ...{ resource: "found post", clause: "questions 1" },
    fields: { id: "count", text: "text", snippet: "text", highlights: "pairs" },
  },
  {
    ...{ resource: "search", clause: "questions 1" },
    fields: { results: "objects", next: "text?", matches: "count", matches_capped: "flag" },
  },
  {
    ...{ resource: "metrics", clause: "questions 2" },
    fields: {
      ...{ growth_1d: "integer?", growth_7d: "integer?", growth_30d: "integer?" },
      ...{ growth_7d_percent: "number?", growth_30d_percent: "number?", posts_30d: "count?" },
      ...{ ads_30d: "count?", reach_30d: "number?", err_30d: "number?", statistics_until: "day?" },
    },
  },
  {
    ...{ resource: "comparison", clause: "questions 2" },
    fields: {
      ...{ channel: "count", from: "day", to: "day", subscribers_first: "count?" },
      ...{ subscribers_last: "count?", growth: "integer?", growth_percent: "number?" },
      ...{ posts: "count?", ads: "count?", views: "count?", views_mean: "number?" },
      ...{ views_median: "number?", err: "number?", best_post: "object?" },
    },
  },
  {
    ...{ resource: "sums", clause: "questions 2" },
    fields: {
      ...{ channels: "count", subscribers: "object", categories: "objects" },
      territories: "objects",
    },
  },
  {
    ...{ resource: "similar", clause: "questions 3" },
    fields: {
      ...{ id: "count", title: "text", handle: "text?", subscribers: "count", score: "number" },
      reasons: "texts",
    },
  },
];
