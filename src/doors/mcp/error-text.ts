import type { AppError } from "../../errors.ts";
import { nearestCodes } from "../../values/fold-text.ts";
import { inEnglish, type Message, type MessageCode } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import { type ApiMethod, STATUS_OF } from "../../verbs/method.ts";
import type { Services } from "../../verbs/services.ts";

/**
 * Texts of tools' errors: the API's own sentence, and what a model needs to make a correct call. Over REST the
 * sentence stands alone.
 */

interface ErrorContext {
  /** Null if the call named no tool. */
  method: ApiMethod | null;
  nowMs: number;
  directory: Services["directory"];
}

/** The whole text: `<status> <code>: <detail>`; of invalid arguments, all are named one after another. */
export function errorText(error: AppError, context: ErrorContext): string {
  const { code, detail, faults } = error;
  const text =
    faults === undefined
      ? withMore(detail, moreOf(error, context))
      : Object.entries(faults)
          .map(([name, messages]) => `${name}: ${sentencesOf(name, messages, context)}`)
          .join(" ");
  return plainText(`${STATUS_OF[code]} ${code}: ${text}`);
}

const FIND_CHANNEL =
  "`channel` takes a number or a handle: msgr_channels_list with `q` finds them by a part of the " +
  "title, msgr_channels_resolve_retrieve by a link.";

/** Tools that find what another tool could not. */
const FIND: Readonly<Record<string, string>> = {
  msgr_channels_resolve_retrieve:
    "Search by a part of its title: msgr_channels_list with `q`; for group chats with `kind` chat.",
  msgr_channels_retrieve: FIND_CHANNEL,
  msgr_channels_posts_retrieve: FIND_CHANNEL,
  msgr_posts_retrieve: "`id` takes the `id` of a post in msgr_channels_posts_retrieve.",
};

function moreOf({ code, retryAfterS }: AppError, { method, nowMs }: ErrorContext): string | null {
  if (code === "not_found") return FIND[method?.operationId ?? ""] ?? null;
  if (retryAfterS === undefined) return null;
  if (code === "quota_exceeded") {
    return `New ones are available from ${formatInstant(nowMs + retryAfterS * 1000)} on.`;
  }
  return `Try again in ${retryAfterS} ${retryAfterS === 1 ? "second" : "seconds"}.`;
}

/** Methods that list the valid codes of an argument. */
const CODES_OF: Readonly<Record<string, string>> = {
  category: "msgr_categories_list",
  territory: "msgr_territories_list",
  parent: "msgr_territories_list",
};

/** Advice after the API's sentence, unless that already says what would be valid. */
const REPAIRS: { readonly [Code in MessageCode]?: string } = {
  invalidCursor: "Give the previous page's `next` unchanged; leave it out for the first page.",
  notChannelQuery: "To find a channel by its title call msgr_channels_list with `q`.",
  tooShort: "Give a longer part, or leave it out and take a `category`.",
  tooManyItems: "Ask for the others in another call.",
  tooManyCells: "Ask for fewer channels or days in one call.",
  periodTooLong: "Ask for the rest in another call.",
  periodBackwards: "Give `from` the earlier day.",
};

const NUMBERS_HELP =
  "Give service numbers, separated by commas, such as 1,3: msgr_channels_resolve_retrieve gives that " +
  "of a link or @handle.";

function sentencesOf(name: string, messages: readonly Message[], context: ErrorContext): string {
  return messages.map((one) => sentenceOf(name, one, context)).join(" ");
}

function sentenceOf(name: string, message: Message, { method, directory }: ErrorContext): string {
  if (message.code === "unknownSlug") {
    return unknownCodeText(name, String(message.values.slug), directory);
  }
  const sentence = inEnglish(message);
  const parameter = method?.parameters[name];
  const options: unknown = parameter?.schema["enum"];
  const examples: unknown = parameter?.schema.examples;
  if (Array.isArray(options)) return withMore(sentence, `Allowed: ${options.join(", ")}.`);
  if (message.code === "notInteger" && parameter?.isList) return withMore(sentence, NUMBERS_HELP);
  if (["notText", "notNull", "required"].includes(message.code) && Array.isArray(examples)) {
    return withMore(sentence, `Example: ${JSON.stringify(examples[0])}.`);
  }
  return withMore(sentence, REPAIRS[message.code] ?? null);
}

function unknownCodeText(name: string, given: string, directory: Services["directory"]): string {
  const entries = name === "category" ? directory.categories() : directory.territories({});
  const nearest = nearestCodes(given, entries);
  const meant = nearest.length === 0 ? "." : `; did you mean ${nearest.join(" or ")}?`;
  return `${JSON.stringify(given)} is not a code${meant} Codes: ${CODES_OF[name] ?? ""}`;
}

function withMore(sentence: string, more: string | null): string {
  return more === null ? sentence : `${sentence} ${more}`;
}

/**
 * Characters that people do not see but models read: control characters (except line breaks and tabs),
 * bidirectional overrides and isolates, tag characters, which spell out invisible letters (except in
 * flags), and letters without a width, such as soft hyphens and Hangul fillers. Variation selectors and
 * joiners stay in emoji, and so do marks of direction, which Hebrew and Arabic need.
 */

const WITHOUT_WIDTH =
  "\\u00ad\\u115f\\u1160\\u180b-\\u180f\\u200b\\u200c\\u202a-\\u202e\\u2060-\\u2064" +
  "\\u2066-\\u2069\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0";
const OUTSIDE_EMOJI =
  "(?<!\\p{Emoji})\\ufe0f|(?<!\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d|" +
  "\\u200d(?![\\p{Extended_Pictographic}\\u2640\\u2642])";
const FLAG = "(\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f})";

const UNSEEN = new RegExp(
  `${FLAG}|(?![\\t\\n\\r])\\p{Cc}|[${WITHOUT_WIDTH}\\u{e0000}-\\u{e01ef}]|${OUTSIDE_EMOJI}`,
  "gu",
);

/**
 * Matches JSON text that has any of the letters in question. Without looking around, it takes 1 us for a card,
 * and the exact test, which can do without it, 5 us.
 */
const PERHAPS = new RegExp(`\\\\[ubf]|[\\x7f-\\x9f${WITHOUT_WIDTH}\\ufe0f\\u200d\\udb40]`);

/** Matches JSON text that may contain such characters; most control characters are escapes there. */
const UNSEEN_IN_JSON = new RegExp(
  `\\\\[ubf]|[\\x7f-\\x9f${WITHOUT_WIDTH}\\u{e0000}-\\u{e01ef}]|${OUTSIDE_EMOJI}`,
  "u",
);

/** Removes such characters, except in flags and emoji. */
export function plainText(text: string): string {
  return text.replace(UNSEEN, "$1");
}

/** Removes them from all texts of a JSON value, which is parsed only if it may contain any. */
export function plainJson(json: string): string {
  if (!PERHAPS.test(json) || !UNSEEN_IN_JSON.test(json)) return json;
  return JSON.stringify(JSON.parse(json), (_name, value) =>
    typeof value === "string" ? plainText(value) : value,
  );
}
