import type { StatisticsSpan } from "../../catalog/statistics/statistics.ts";
import { type Json, jsonTextOf } from "../../values/json-text.ts";
import { formatDay } from "../../values/moscow-time.ts";
import { dailyStatisticsList } from "../../verbs/daily-statistics.ts";
import type { ApiMethod } from "../../verbs/method.ts";
import type { Parameter } from "../../verbs/parameters.ts";
import type { RawArguments } from "../../verbs/read-arguments.ts";
import type { Services } from "../../verbs/services.ts";
import { plainJson } from "./plain-text.ts";
import { quoted } from "./protocol-faults.ts";

/** Checks a tool call's arguments, and formats its result as JSON text. */

/** What is wrong with a call's arguments before its method parses them, or null. */
export function argumentsFault(
  { parameters, operationId }: ApiMethod,
  given: Record<string, unknown>,
): string | null {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(parameters, name)) {
      const known = Object.keys(parameters).join(", ") || "none";
      return `${operationId} has no argument ${quoted(name)}; it takes: ${known}.`;
    }
  }
  for (const name in parameters) {
    const parameter = parameters[name];
    // Optional query arguments, which most are, need no check here.
    if (parameter === undefined || !parameter.required) continue;
    const isGiven = Object.hasOwn(given, name);
    // A cursor carries its list's arguments, including the channel of posts.
    if (!isGiven && typeof given["cursor"] !== "string") {
      return `${operationId} needs the argument ${JSON.stringify(name)}.`;
    }
    const value = isGiven ? given[name] : undefined;
    if (parameter.in === "path" && typeof value === "string" && /[/?#]/.test(value)) {
      return `${JSON.stringify(name)} must not contain /, ? or #.${LINKS[name] ?? ""}`;
    }
  }
  return null;
}

/** Where to get a value, after a fault about one that does not fit into a path. */
const LINKS: Readonly<Record<string, string>> = {
  channel: " For a link there is msgr_channels_resolve_retrieve.",
};

/**
 * Converts arguments to the form a method accepts: null counts as not given, a handle may have its `@`, and
 * a list may be a JSON array.
 */
export function argumentsFor(
  { parameters }: ApiMethod,
  given: Readonly<Record<string, unknown>>,
): RawArguments {
  const raw: RawArguments = {};
  const isNextPage = typeof given["cursor"] === "string";
  for (const name in given) {
    const parameter = parameters[name];
    const value = given[name];
    if (parameter === undefined) continue;
    if (value === null && (!parameter.required || isNextPage)) continue;
    raw[name] = argumentFor(name, parameter, value);
  }
  return raw;
}

function argumentFor(name: string, { isList }: Parameter<unknown>, value: unknown): unknown {
  if (typeof value === "string") return name === "channel" ? value.replace(/^@/, "") : value;
  const isFlat = isList && Array.isArray(value) && value.every((item) => typeof item !== "object");
  return isFlat ? value.join(",") : value;
}

const NO_RESULTS = '{"results":[]}';

/** @param common members of every result in this era, with a trailing comma */
export function toolResult(
  common: string,
  method: ApiMethod,
  raw: RawArguments,
  answer: Json<unknown>,
  services: Pick<Services, "statistics">,
): string {
  const body = plainJson(jsonTextOf(answer));
  const isEmptyStatistics = body === NO_RESULTS && method.operationId === "msgr_stats_daily_list";
  const note = isEmptyStatistics
    ? emptyStatisticsText(raw, services)
    : nextPageText(method, raw, body);
  return (
    `{${common}"content":[${textContent(body)}${note === null ? "" : `,${textContent(note)}`}],` +
    `"structuredContent":${body},"isError":false}`
  );
}

/** Result of a method that failed; without structured content, so that its text is read. */
export function errorResult(common: string, text: string): string {
  return `{${common}"content":[${textContent(text)}],"isError":true}`;
}

function textContent(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}

/** Follows the answer's results. Inside a text its quotes would be escaped, so it occurs nowhere else. */
const NEXT = '"next":';

/**
 * Says how to get the next page; null if there is none.
 * @param body the answer as JSON text, of which only the end is parsed
 */
function nextPageText(
  { operationId, parameters }: ApiMethod,
  raw: RawArguments,
  body: string,
): string | null {
  if (parameters["cursor"] === undefined) return null;
  const cursor = /[?&]cursor=([\w-]+)/.exec(body.slice(body.lastIndexOf(NEXT)))?.[1];
  if (cursor === undefined) return null;
  const needed = Object.entries(parameters)
    .filter(([, { required }]) => required)
    .map(([name]) => [name, raw[name]]);
  const args = JSON.stringify({ ...Object.fromEntries(needed), cursor });
  return `For the next page call ${operationId} with ${args}.`;
}

/** Most channels to explain individually; the rest are counted. */
const EXPLAINED_MAX = 20;

/**
 * Explains an answer without any day: channels that are unknown, that have no readings at all, or whose
 * readings are of other days.
 */
function emptyStatisticsText(
  raw: RawArguments,
  { statistics }: Pick<Services, "statistics">,
): string {
  const read = dailyStatisticsList.parameters["channels"]?.read(raw["channels"]);
  const channels = read !== undefined && "value" in read ? (read.value as number[]) : [];
  const reasons = channels
    .slice(0, EXPLAINED_MAX)
    .map((channel) => reasonOf(channel, statistics.span(channel)));
  const more = channels.length - reasons.length;
  return `No readings in this period. ${reasons.join(" ")}${more > 0 ? ` And ${more} more channels.` : ""}`;
}

function reasonOf(channel: number, span: StatisticsSpan | null): string {
  if (span === null) {
    return `There is no channel ${channel}: msgr_channels_list and msgr_channels_resolve_retrieve give numbers.`;
  }
  if (span.first === null || span.last === null)
    return `Channel ${channel} has no readings at all.`;
  const first = formatDay(span.first);
  const last = formatDay(span.last);
  return `The readings of channel ${channel} go from ${first} until ${last}.`;
}
