import type { StatisticsSpan } from "../../catalog/statistics/statistics.ts";
import { type Json, jsonTextOf } from "../../values/json-text.ts";
import { formatDay } from "../../values/moscow-time.ts";
import type { ApiMethod } from "../../verbs/method.ts";
import { dailyStatisticsList } from "../../verbs/methods/statistics.ts";
import type { RawArguments } from "../../verbs/read-arguments.ts";
import type { Services } from "../../verbs/services.ts";
import { plainJson } from "./error-text.ts";

/**
 * The result of a tool call as JSON text. What a model must know beside the data stands in the data, as
 * `note`, because clients show either the text or the structured content.
 */

/** A call of a tool that has run. */
interface AnsweredCall {
  method: ApiMethod;
  /** As the assistant gave them. */
  given: Readonly<Record<string, unknown>>;
  /** As the method got them. */
  raw: RawArguments;
}

const NO_RESULTS = '{"results":[]}';

/** @param common members of every result in this era, with a trailing comma */
export function toolResult(
  common: string,
  call: AnsweredCall,
  answer: Json<unknown>,
  services: Pick<Services, "statistics">,
): string {
  const { method, given, raw } = call;
  const whole = plainJson(jsonTextOf(answer));
  const isEmptyStatistics =
    whole === NO_RESULTS && method.operationId === dailyStatisticsList.operationId;
  const own = withoutNote(method, whole);
  const isSmall = own.json.length <= CHARACTERS_MAX || isAskedFor(given);
  const fitted = isSmall ? { json: own.json, note: null } : fittedTexts(own.json);
  const notes = [
    own.note ?? null,
    isEmptyStatistics ? emptyStatisticsText(raw, services) : null,
    defaultsNote(call),
    fitted.note,
    nextNote(method, own.json),
  ].filter((note) => note !== null);
  const note = notes.length === 0 ? own.note : notes.join(" ");
  const body =
    note === undefined
      ? fitted.json
      : `${fitted.json.slice(0, -1)},"note":${JSON.stringify(note)}}`;
  return `{${common}"content":[${textContent(body)}],"structuredContent":${body},"isError":false}`;
}

/** Result of a method that failed; without structured content, so that its text is read. */
export function errorResult(common: string, text: string): string {
  return `{${common}"content":[${textContent(text)}],"isError":true}`;
}

function textContent(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}

const NOTE = /,"note":(null|"(?:[^"\\]|\\.)*")(?=[,}])/;

/** Takes the method's own note out of an answer, of which only the end is looked at; undefined if it has none. */
function withoutNote(
  { result }: ApiMethod,
  json: string,
): { json: string; note: string | null | undefined } {
  if (!("note" in (result["properties"] as object))) return { json, note: undefined };
  const from = json.lastIndexOf('"next":');
  const found = from === -1 ? null : NOTE.exec(json.slice(from));
  if (found === null) return { json, note: undefined };
  const [text, value = "null"] = found;
  return {
    json: json.slice(0, from) + json.slice(from).replace(text, () => ""),
    note: JSON.parse(value),
  };
}

/** Says how to get the next page, if there is one. */
function nextNote({ operationId, parameters }: ApiMethod, json: string): string | null {
  // Inside a text its quotes would be escaped, so it occurs nowhere else.
  return parameters["cursor"] !== undefined && json.includes('"next":"')
    ? `For more call ${operationId} with \`next\` as \`cursor\` and nothing else.`
    : null;
}

/** Whether the assistant chose how much it gets. */
function isAskedFor(given: Readonly<Record<string, unknown>>): boolean {
  return ["limit", "fields", "cursor"].some((name) => given[name] != null);
}

/** Largest answer to a call that does not say how much it wants: all clients take 25,000 characters, notes included. */
const CHARACTERS_MAX = 24_700;
/** Lengths to cut texts to, until the answer is small enough. */
const CUT_TO = [1_000, 500, 250];

/** Cuts long texts in an answer that would be too large. */
function fittedTexts(json: string): { json: string; note: string | null } {
  const value = JSON.parse(json);
  let fitted = { json, note: null as string | null };
  for (const most of CUT_TO) {
    const cut = JSON.stringify(value, (name, text) =>
      name === "text" && typeof text === "string" && text.length > most
        ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…`
        : text,
    );
    const note = `Texts are cut to ${most} characters: msgr_posts_retrieve gives a whole one.`;
    fitted = cut === json ? fitted : { json: cut, note };
    if (cut.length <= CHARACTERS_MAX) break;
  }
  return fitted;
}

/** Says what the tool left out because the call did not ask for it. */
function defaultsNote({ method: { toolDefaults }, given, raw }: AnsweredCall): string | null {
  if (toolDefaults?.note === undefined || given["cursor"] != null) return null;
  const { args, note } = toolDefaults;
  const isAdded = Object.keys(args).every(
    (name) => given[name] == null && raw[name] === args[name],
  );
  return isAdded ? note : null;
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
