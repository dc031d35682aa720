import type { ChannelReference } from "../../catalog/channels/channel-reference.ts";
import { CHANNEL_KINDS, parsePathReference } from "../../catalog/channels/channel-reference.ts";
import { foldForSearch } from "../../catalog/channels/search-text.ts";
import { FILTERED_METRICS, isPercent, type MetricsMin } from "../../catalog/metrics/metrics.ts";
import type { CatalogFilter } from "../../catalog/search/catalog.ts";
import { type FieldFaults, fieldError } from "../../errors.ts";
import { readText, shortened, unknownSlug } from "../../values/fields.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import * as shape from "../../values/schema.ts";
import {
  type Arguments,
  choice,
  flag,
  inPath,
  integer,
  number,
  parameter,
  text,
  withDefault,
} from "../parameters.ts";
import type { Services } from "../services.ts";

export const QUERY_LENGTH_MIN = 3;

const viewsMin = (of: string) => integer(`Minimum of the ${of}.`, { example: 1000, minimum: 0 });

/** Filters of the catalog, combined with AND. */
export const filterParameters = {
  q: text(
    `Part of the title or handle, at least ${QUERY_LENGTH_MIN} characters, in any case, ё as ` +
      "е, or beginnings of its words, 3 characters or more each, in any order; or a link or an `@handle`, which match exactly.",
    { example: "новости" },
  ),
  category: text(
    "Code (`slug`) of a category, not its name; matches by primary or additional category.",
    { example: "science" },
  ),
  territory: text("Code (`slug`) of a territory; channels of the nodes below it match too.", {
    example: "russia",
  }),
  kind: withDefault(choice(CHANNEL_KINDS, "Group chats are `chat`."), "channel"),
  subscribers_min: integer("Minimum number of subscribers.", { example: 1000 }),
  subscribers_max: integer("Maximum number of subscribers.", { example: 1_000_000 }),
  a_plus: flag("true: only channels with the A+ mark; false: only channels without it.", {
    example: true,
  }),
  verified: flag("true: only channels verified by their owners; false: only others.", {
    example: true,
  }),
  growth_30d_min: integer("Minimum growth in subscribers over 30 days; may be negative.", {
    example: 100,
  }),
  reach_30d_min: viewsMin("average views of the posts of the last 30 days"),
  err_30d_min: number("Minimum of `reach_30d` in percent of the subscribers.", { example: 10 }),
  reach_24h_min: viewsMin("mean views of posts after 24 hours"),
  reach_48h_min: viewsMin("mean views of posts after 48 hours"),
  ad_reach_24h_min: viewsMin("mean views of advertising posts after 24 hours"),
  ad_reach_48h_min: viewsMin("mean views of advertising posts after 48 hours"),
};

export type FilterArguments = Partial<Arguments<typeof filterParameters>>;

export interface Lookups {
  channels: Pick<Services["channels"], "parseLinkOrHandle" | "findId">;
  directory: Pick<Services["directory"], "categoryId" | "territoryId">;
}

const TOO_SHORT = message("tooShort", { characters: QUERY_LENGTH_MIN });

/** Whether a text has the minimum length, both as given and folded, which drops invisible characters. */
export function isLongEnough(text: string): boolean {
  return [text, foldForSearch(text)].every((one) => [...one].length >= QUERY_LENGTH_MIN);
}

/** A number that no channel has, for a link or handle that leads to none. */
const NO_CHANNEL = 0;

/**
 * Converts the arguments to a filter; null if nothing can match.
 * @throws AppError `invalid` listing all invalid arguments
 */
export function readFilter(args: FilterArguments, lookups: Lookups): CatalogFilter | null {
  const filter = readAnyFilter(args, lookups, {});
  return filter.channelId === NO_CHANNEL ? null : filter;
}

/**
 * As `readFilter`, but keeps a filter that matches nothing, and adds to faults found earlier.
 * @throws AppError `invalid` listing all invalid arguments
 */
export function readAnyFilter(
  args: FilterArguments,
  { channels, directory }: Lookups,
  faults: FieldFaults,
): CatalogFilter {
  const facets = readFacets(args, directory, faults);
  const query = args.q?.trim();
  const reference = query === undefined ? null : channels.parseLinkOrHandle(query);
  const text = query === undefined || reference !== null ? null : query;
  if (text !== null && !isLongEnough(text)) {
    faults["q"] = [TOO_SHORT];
  }
  if (Object.keys(faults).length > 0) throw fieldError(faults);

  return {
    kind: args.kind ?? "channel",
    channelId: reference === null ? null : (channels.findId(reference) ?? NO_CHANNEL),
    text,
    ...facets,
    aPlus: args.a_plus ?? null,
    verified: args.verified ?? null,
    subscribersMin: args.subscribers_min ?? null,
    subscribersMax: args.subscribers_max ?? null,
    metricsMin: metricsMinOf(args),
  };
}

function metricsMinOf(args: FilterArguments): MetricsMin {
  const given = FILTERED_METRICS.flatMap((name) => {
    const least = args[`${name}_min`];
    if (least === undefined) return [];
    return [[name, isPercent(name) ? leastHundredths(least) : least]];
  });
  return Object.fromEntries(given);
}

/**
 * Percent in hundredths, rounded up. `toFixed` removes floating-point error: 1.1 * 100 is
 * 110.00000000000001.
 */
function leastHundredths(percent: number): number {
  return Math.ceil(Number((percent * 100).toFixed(6)));
}

/**
 * Numbers of the category and territory named in a filter, null if not given. Unknown names are added to
 * the faults.
 */
export function readFacets(
  { category, territory }: { category?: string | undefined; territory?: string | undefined },
  directory: Pick<Services["directory"], "categoryId" | "territoryId">,
  faults: FieldFaults,
): { categoryId: number | null; territoryId: number | null } {
  const categoryId = category === undefined ? null : directory.categoryId(category);
  if (category !== undefined && categoryId === null) faults["category"] = [unknownSlug(category)];
  const territoryId = territory === undefined ? null : directory.territoryId(territory);
  if (territory !== undefined && territoryId === null) {
    faults["territory"] = [unknownSlug(territory)];
  }
  return { categoryId, territoryId };
}

/** `{channel}` in a path: the service number, or the handle in any case. */
export const channelPath = inPath<ChannelReference>(
  parameter(
    shape.text({
      description:
        "Service number (`id`) of the channel, or its handle; a link goes to " +
        "msgr_channels_resolve_retrieve.",
      examples: ["nsmag"],
    }),
    (given) => {
      const text = readText(given);
      return "fault" in text ? text : { value: parsePathReference(text.value) };
    },
  ),
);

type Named = Pick<Services["channels"], "findId" | "parseLinkOrHandle">;

/** Number of the public channel that a number, handle or link refers to; null if there is none. */
export function channelNamed(name: string, channels: Named): number | null {
  return channels.findId(channels.parseLinkOrHandle(name) ?? parsePathReference(name));
}

/** As `channelNamed`, for an optional filter. An unknown channel is added to the faults. */
export function readChannel(
  name: string | undefined,
  channels: Named,
  faults: FieldFaults,
): number | null {
  if (name === undefined) return null;
  const id = channelNamed(name.trim(), channels);
  if (id === null) faults["channel"] = [unknownChannel(name)];
  return id;
}

export function unknownChannel(name: string): Message {
  return message("noChannel", { channel: shortened(name) });
}
