import { cardSchema } from "../../catalog/channels/card.ts";
import type { CardAnswer } from "../../catalog/channels/stored-card.ts";
import { cardAnswerSchema, cardWithMetricsSchema } from "../../catalog/channels/stored-card.ts";
import type { ChannelPageSelection, PostPosition } from "../../catalog/posts/posts.store.ts";
import type {
  CatalogPage,
  CatalogPosition,
  CatalogSelection,
} from "../../catalog/search/catalog.ts";
import { CATALOG_ORDERINGS, isOfMetrics, suggestionSchema } from "../../catalog/search/catalog.ts";
import { fieldError, notFound } from "../../errors.ts";
import { type Json, type Page, pageJson } from "../../values/json-text.ts";
import { message } from "../../values/messages/messages.ts";
import * as shape from "../../values/schema.ts";
import { apiMethod, type Call, STRANGERS_WORDS } from "../method.ts";
import { pageParameters, pageWith, readPage, type Slice } from "../paging.ts";
import type { Arguments } from "../parameters.ts";
import { choice, fieldsOf, integerList, required, text, withDefault } from "../parameters.ts";
import { publicationDays, readPublicationDays } from "../period.ts";
import { type RawArguments, readArguments } from "../read-arguments.ts";
import type { FilterArguments, Lookups } from "./catalog-filter.ts";
import { channelPath, filterParameters, readFilter } from "./catalog-filter.ts";

const IDS_MAX = 100;

const idList = integerList(
  `Up to ${IDS_MAX} comma-separated service numbers; their cards in this order, without ` +
    "unknown ones.",
  { example: "3,1", itemsMax: IDS_MAX },
);

const ORDERINGS =
  "Always descending. Those by growth, reach and ERR leave out channels whose last reading of subscribers is older than " +
  "7 days or missing, and `note` says how many; `-growth_30d_percent` and `-err_30d` also channels under 100 subscribers.";

const includeMetrics = choice(
  ["metrics"],
  "`metrics` adds growth and engagement, computed nightly and after imports: the object `metrics`, about 400 characters a card. " +
    "100 cards with it are over 80,000.",
);

/** Parameters that say which channels are found and in which order: what saved lists consist of. */
export const SEARCH_PARAMETERS = [...Object.keys(filterParameters), "ids", "ordering"] as (
  | keyof typeof filterParameters
  | "ids"
  | "ordering"
)[];

/** Whether the answer includes metrics: they are requested by `include`, or by naming them in `fields`. */
function includesMetrics(args: { include?: string | undefined; fields?: string[] | undefined }) {
  return args.include !== undefined || args.fields?.includes("metrics") === true;
}

export const channelsList = apiMethod({
  operationId: "msgr_channels_list",
  path: "/v1/msgr/channels/",
  tag: "Channels",
  title: "Channel catalog",
  description:
    "Searches and filters the catalog; filters combine with AND. Always in descending order of " +
    "`ordering`, channels without a value last. If nothing matches `q`, `suggestions` has up to five channels with the " +
    "nearest titles. With `ids`, all other parameters are ignored.",
  tool:
    "Finds {messenger} channels, the biggest first: `limit` 5 answers who leads a topic, `ordering` -growth_30d " +
    "who grows fastest. A card is about 400 characters, with `fields` id,title,subscribers about 65. " +
    STRANGERS_WORDS,
  units: 1,
  parameters: {
    ...filterParameters,
    ids: idList,
    include: includeMetrics,
    ordering: withDefault(choice(CATALOG_ORDERINGS, ORDERINGS), "-subscribers"),
    ...pageParameters,
    ...fieldsOf(cardWithMetricsSchema),
  },
  soleParameter: "ids",
  toolDefaults: { args: { limit: 20 }, unless: ["ids"] },
  result: pageWith(cardAnswerSchema, {
    note: shape.text("With an ordering by growth, reach or ERR: how many it leaves out"),
    suggestions: shape.list(suggestionSchema, {
      maxItems: 5,
      description: "Only if nothing matches `q`: channels with the nearest titles",
    }),
  }),
  run(args, call) {
    const { channels, search } = call.services;
    const hasMetrics = includesMetrics(args);
    if (args.ids !== undefined) {
      const { ids } = args;
      return pageJson(hasMetrics ? channels.cardsWithMetrics(ids) : channels.cards(ids), null);
    }
    const { ordering, limit, kind } = args;
    const filter = readFilter(args, call.services);
    const find = (after: CatalogPosition | null): CatalogPage | Promise<CatalogPage> =>
      filter === null
        ? { results: [], last: null }
        : search.page({ filter, ordering, after, limit, hasMetrics });
    const note = isOfMetrics(ordering)
      ? { note: call.told(message("leftOut", { kind, count: search.leftOut(kind) })) }
      : {};
    const withMore = ({ suggestions, ...page }: CatalogPage) => {
      return { ...page, more: suggestions === undefined ? note : { ...note, suggestions } };
    };
    return readPage<CardAnswer, CatalogPosition>(call, (after) => {
      const page = find(after);
      return page instanceof Promise ? page.then(withMore) : withMore(page);
    });
  },
});

export const channelsRetrieve = apiMethod({
  operationId: "msgr_channels_retrieve",
  path: "/v1/msgr/channels/:channel/",
  tag: "Channels",
  title: "Channel card",
  description:
    "A channel by its service number or its handle. A handle that no channel has now finds the channel that had it last.",
  tool:
    "A {messenger} channel's card: subscribers, category, territory, quality and citation indexes; about 400 " +
    "characters. With `include` metrics growth, reach and share of advertising. " +
    STRANGERS_WORDS,
  units: 1,
  parameters: { channel: channelPath, include: includeMetrics, ...fieldsOf(cardWithMetricsSchema) },
  result: cardAnswerSchema,
  run: ({ channel, ...args }, { services: { channels } }) =>
    includesMetrics(args) ? channels.cardWithMetrics(channel) : channels.card(channel),
});

export const channelsResolveRetrieve = apiMethod({
  operationId: "msgr_channels_resolve_retrieve",
  path: "/v1/msgr/channels/resolve/",
  tag: "Channels",
  title: "Find a channel",
  description: "The card of the channel that a link, an `@handle` or a messenger id names.",
  tool:
    "Finds the {messenger} channel that a link, an @handle or a messenger id names: its card, about 400 " +
    "characters. Other tools take handles too; msgr_channels_list finds parts of titles. " +
    STRANGERS_WORDS,
  units: 1,
  parameters: {
    q: required(
      text("A link of the messenger, an `@handle`, or the messenger's own channel id.", {
        example: "@nsmag",
      }),
    ),
    ...fieldsOf(cardSchema),
  },
  result: cardAnswerSchema,
  errors: ["not_found"],
  run({ q }, { services: { channels } }) {
    const reference = channels.parseResolveQuery(q.trim());
    if (reference === null) {
      throw fieldError({ q: [message("notChannelQuery")] });
    }
    return channels.card(reference);
  },
});

/**
 * Reads the arguments of a catalog request as the selection of its first page; null if nothing can match.
 * For `kanalog search explain`, which takes the same arguments.
 * @throws AppError `invalid` listing all invalid arguments
 */
export function readCatalogRequest(raw: RawArguments, lookups: Lookups): CatalogSelection | null {
  const args: unknown = readArguments(channelsList, raw, {});
  const { ordering, limit, ...filters } = args as FilterArguments &
    Pick<CatalogSelection, "ordering" | "limit">;
  const filter = readFilter(filters, lookups);
  return filter && { filter, ordering, after: null, limit };
}

export const channelPageParameters = {
  channel: channelPath,
  ...publicationDays,
};

type Given = Arguments<typeof channelPageParameters> & { limit: number };

/**
 * Reads a page of such a list.
 * @throws AppError `invalid` on `to` and on `cursor`, `not_found` for the channel
 */
export function readChannelPage<View>(
  { channel, from, to, limit }: Given,
  call: Call,
  select: (
    selection: ChannelPageSelection,
  ) => Slice<View, PostPosition> | Promise<Slice<View, PostPosition>>,
): Promise<Json<Page<View>>> {
  const days = readPublicationDays({ from, to });
  const channelId = call.services.channels.findId(channel);
  if (channelId === null) throw notFound("channel");
  const selectAfter = (after: PostPosition | null) => select({ channelId, ...days, after, limit });
  // The cursor carries the channel's number, because its handle may move to another channel between two
  // pages.
  return readPage(call, selectAfter, { channel: String(channelId) });
}
