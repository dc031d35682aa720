import { isHandle } from "../../catalog/channels/channel-reference.ts";
import { foldForSearch } from "../../catalog/channels/search-text.ts";
import type { CardAnswer } from "../../catalog/channels/stored-card.ts";
import { COMPARED_MAX } from "../../catalog/comparison/comparison.ts";
import { NO_FILTER } from "../../catalog/search/catalog.ts";
import { AppError, type FieldFaults, fieldError, notFound } from "../../errors.ts";
import { unknownSlug } from "../../values/fields.ts";
import { jsonValueOf } from "../../values/json-text.ts";
import type { ApiMethod } from "../../verbs/method.ts";
import { channelNamed, unknownChannel } from "../../verbs/methods/catalog-filter.ts";
import { CHANNELS_MAX } from "../../verbs/methods/statistics.ts";
import { type RawArguments, readArguments } from "../../verbs/read-arguments.ts";
import type { Services } from "../../verbs/services.ts";
import { quoted } from "./protocol.ts";

/**
 * Names in place of codes and numbers: a person says "Наука" or a channel's title, and the model passes it
 * on. A name is taken if it can mean one thing only; otherwise the nearest are named, and nothing is charged.
 */

export type NameServices = Pick<Services, "directory" | "channels" | "search">;

/** The arguments with codes and numbers; or why not, and the nearest titles, as a sentence. */
type TakenNames = { raw: RawArguments } | { refusal: AppError; nearest: string | null };

/** At once if nothing has to be searched for. */
export function takeNames(
  method: ApiMethod,
  given: RawArguments,
  services: NameServices,
): TakenNames | Promise<TakenNames> {
  // Most calls name nothing, or a channel by its number.
  if (!NAMING.some((name) => given[name] !== undefined) && isNumber(given["channel"])) {
    return { raw: given };
  }
  const raw = { ...given };
  const faults: FieldFaults = {};
  for (const [name, codeOf] of codesOf(services)) {
    const value = raw[name];
    if (method.parameters[name] === undefined || typeof value !== "string" || value === "")
      continue;
    const code = codeOf(value);
    if (code === null) faults[name] = [unknownSlug(value)];
    else raw[name] = code;
  }
  if (Object.keys(faults).length > 0) {
    return { refusal: fieldError({ ...otherFaults(method, raw), ...faults }), nearest: null };
  }
  const titles = titlesIn(method, raw, services);
  return titles.length === 0 ? { raw } : takeTitles(raw, titles, services);
}

const NAMING = ["category", "territory", "parent", "channels"];

function isNumber(given: unknown): boolean {
  return typeof given !== "string" || /^\d*$/.test(given);
}

/** Faults of all other arguments, so that one answer names them all. */
function otherFaults(method: ApiMethod, raw: RawArguments): FieldFaults {
  try {
    readArguments(method, raw, {}, { mayMiss: true });
    return {};
  } catch (error) {
    if (error instanceof AppError) return error.faults ?? {};
    throw error;
  }
}

type CodeOf = (name: string) => string | null;

function codesOf({ directory }: NameServices): [argument: string, codeOf: CodeOf][] {
  const one = (codes: readonly string[]) => (codes.length === 1 ? (codes[0] ?? null) : null);
  const territory: CodeOf = (name) =>
    directory.territoryId(name) === null ? one(directory.territoriesNamed(name)) : name;
  return [
    [
      "category",
      (name) => (directory.categoryId(name) === null ? one(directory.categoriesNamed(name)) : name),
    ],
    ["territory", territory],
    ["parent", territory],
  ];
}

/** Texts among a call's channels that are neither number, handle nor link of a channel, by argument. */
interface Title {
  argument: "channel" | "channels";
  text: string;
}

/** Puts numbers in place of links and handles where the method takes none, and returns what is left. */
function titlesIn(
  { parameters, operationId }: ApiMethod,
  raw: RawArguments,
  { channels }: NameServices,
): Title[] {
  const titles: Title[] = [];
  /** The text as it is, if the method can read it; the number that it stands for; or null. */
  const known = (text: string): string | null => {
    // The method refuses a zero character, which no search can take.
    if (/^\d+$/.test(text) || text.includes("\0")) return text;
    const id = channelNamed(text, channels);
    return id === null ? null : String(id);
  };
  const { channel, channels: list } = raw;
  if (parameters["channel"] !== undefined && typeof channel === "string" && channel !== "") {
    const id = known(channel);
    if (id === null) titles.push({ argument: "channel", text: channel });
    // A handle stays, since it may be a former one, which the card tells.
    else if (/[/?#]/.test(channel)) raw["channel"] = id;
  }
  const itemsMax = LISTS.get(operationId);
  if (itemsMax !== undefined && typeof list === "string") {
    const items = list.split(",", itemsMax + 1).map((item) => item.trim());
    // The method refuses a longer list, in which nothing is searched for.
    if (items.length > itemsMax) return titles;
    const unknown = new Set<string>();
    raw["channels"] = items
      .filter((item) => item !== "")
      .map((item) => {
        const id = known(item);
        if (id === null) unknown.add(item);
        return id ?? item;
      })
      .join();
    for (const text of unknown) titles.push({ argument: "channels", text });
  }
  return titles;
}

/** Methods whose `channels` are names of channels, and how many they take. */
const LISTS: ReadonlyMap<string, number> = new Map([
  ["msgr_stats_daily_list", CHANNELS_MAX],
  ["msgr_channels_compare_list", COMPARED_MAX],
]);

async function takeTitles(
  raw: RawArguments,
  titles: readonly Title[],
  services: NameServices,
): Promise<TakenNames> {
  for (const { argument, text } of titles) {
    const found = await withTitle(text, services);
    if (typeof found !== "number") {
      const isList = argument === "channels";
      const refusal = isList
        ? fieldError({ channels: [unknownChannel(text)] })
        : notFound("channel");
      return { refusal, nearest: found };
    }
    const items = String(raw[argument]).split(",");
    raw[argument] =
      argument === "channel"
        ? String(found)
        : items.map((item) => (item === text ? found : item)).join();
  }
  return { raw };
}

const NEAREST = 3;
const LOOKED_AT = 20;
/** Anything shorter is no title to search for. */
const TITLE_LENGTH_MIN = 3;
const TITLE_LENGTH_MAX = 300;

/**
 * The number of the only channel with a title, or with a part of it; else the nearest, or null. What may be
 * the handle of an unknown channel is no part of another's title.
 */
async function withTitle(text: string, { search }: NameServices): Promise<number | string | null> {
  const folded = foldForSearch(text);
  if ([...folded].length < TITLE_LENGTH_MIN || text.length > TITLE_LENGTH_MAX) return null;
  const page = await search.page({
    filter: { ...NO_FILTER, text },
    ordering: "-subscribers",
    after: null,
    limit: LOOKED_AT,
  });
  const found = jsonValueOf(page.results) as CardAnswer[];
  const exact = found.filter(({ title }) => foldForSearch(title) === folded);
  const [only, ...others] = exact.length > 0 ? exact : found;
  const isSure = exact.length > 0 || !isHandle(text);
  if (only !== undefined && isSure && others.length === 0 && page.last === null) return only.id;
  const nearest = (page.suggestions ?? (exact.length > 0 ? exact : found)).slice(0, NEAREST);
  if (nearest.length === 0) return null;
  return `Nearest titles: ${nearest.map(({ id, title }) => `${quoted(title)} is ${id}`).join(", ")}.`;
}
