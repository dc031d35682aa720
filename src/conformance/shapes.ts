import { type Fault, isObject, type Json, shown } from "./check.ts";
import type { ClauseId } from "./clauses.ts";

const isText = (value: unknown): boolean => typeof value === "string";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const matches = (pattern: RegExp) => (value: unknown) =>
  isText(value) && pattern.test(String(value));
const listOf = (isItem: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isItem);

/** What a field may hold, by name; `a|b` is one of these words, and `?` at the end means null as well. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  count: isCount,
  number: (value) => typeof value === "number",
  text: isText,
  flag: (value) => typeof value === "boolean",
  object: isObject,
  moment: matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+03:00$/),
  day: matches(/^\d{4}-\d\d-\d\d$/),
  texts: listOf(isText),
  counts: listOf(isCount),
  objects: listOf(isObject),
  pairs: listOf((pair) => listOf(isCount)(pair) && String(pair).split(",").length === 2),
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

/** Fields of resources with what they hold, by the part of the specification that names them. */
export const SHAPES: readonly (readonly [resource: string, clause: ClauseId, fields: string])[] = [
  ["category", "spec 2 category", "id count, slug text, name text, channels count, image text?"],
  ["territory", "spec 2 territory", "id count, slug text, name text, parent text?, path text"],
  ["territory", "spec 2 territory", "kind country|district|region|city, channels count"],
  ["channel", "spec 2 channel", "id count, title text, subscribers count"],
  ["channel", "decisions 2", "handle text?, description text?, link text?, image text?"],
  [
    "channel",
    "decisions 2",
    "kind channel|chat, category text?, categories texts, territory text?",
  ],
  ["channel", "decisions 2", "a_plus flag, verified flag, quality number?, citation number?"],
  ["channel", "decisions 2", "last_post_at moment?"],
  ["channel", "living-data 1", "former_handles texts"],
  ["post", "spec 2 post", "id count, channel count, text text, views count"],
  ["post", "decisions 2", "is_ad flag, published_at moment, link text?"],
  ["post", "living-data 2", "edited_at moment?, views_at moment?, media texts?, forwards count?"],
  [
    "post",
    "living-data 2",
    "reactions count?, comments count?, forwarded_from count?, album text?",
  ],
  ["post", "living-data 2", "forwarded_from_name text?"],
  ["post", "questions 9", "views_1h count?, views_12h count?, views_24h count?, views_48h count?"],
  ["statistics", "spec 2 statistics", "day day, subscribers count, views count"],
  ["statistics", "decisions 2", "channel count, posts count"],
  ["account", "spec 2 account", "key object, organization object, usage object"],
  ["account", "spec 2 account", "api_tariff test|start|growth|profi, remaining_period count"],
  ["account", "decisions 2", "member object, tariff_ends_at moment?, limits object"],
  ["account.key", "decisions 2", "id count, name text, prefix text, access text"],
  ["account.key", "decisions 2", "created_at moment, last_used_at moment?, expires_at moment?"],
  ["account.member", "decisions 2", "id count, name text?, email text"],
  ["account.member", "decisions 2", "role owner|administrator|member"],
  ["account.organization", "decisions 2", "id count, name text"],
  ["account.limits", "decisions 2", "requests_per_second count, requests_per_period count"],
  ["account.limits", "decisions 2", "period_days count, webhooks count, webhook_channels count"],
  ["account.limits", "decisions 2", "posts flag, history_days count?"],
  ["account.usage", "decisions 2", "period_started_at moment, period_ends_at moment, used count"],
  ["webhook", "spec 2 webhook", "id count, url text, channels counts, is_active flag"],
  ["webhook", "spec 2 webhook", "disabled_reason text, last_success_at moment?, last_error text"],
  ["webhook", "decisions 2", "created_at moment, updated_at moment"],
  ["found post", "questions 1", "id count, text text, snippet text, highlights pairs"],
  ["search", "questions 1", "results objects, next text?, matches count, matches_capped flag"],
  ["metrics", "questions 2", "growth_1d integer?, growth_7d integer?, growth_30d integer?"],
  ["metrics", "questions 2", "growth_7d_percent number?, growth_30d_percent number?"],
  ["metrics", "questions 2", "posts_30d count?, ads_30d count?, reach_30d number?"],
  ["metrics", "questions 2", "err_30d number?, statistics_until day?"],
  ["comparison", "questions 2", "channel count, from day, to day, subscribers_first count?"],
  ["comparison", "questions 2", "subscribers_last count?, growth integer?, growth_percent number?"],
  ["comparison", "questions 2", "posts count?, ads count?, views count?, views_mean number?"],
  ["comparison", "questions 2", "views_median number?, err number?, best_post object?"],
  ["sums", "questions 2", "channels count, subscribers object, categories objects"],
  ["sums", "questions 2", "territories objects"],
  ["similar", "questions 3", "id count, title text, handle text?, subscribers count, score number"],
  ["similar", "questions 3", "reasons texts"],
];
