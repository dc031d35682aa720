import type { CardView } from "../channels/card.ts";
import {
  CATALOG_ORDERINGS,
  type CatalogFilter,
  type CatalogPosition,
} from "../channels/catalog.ts";
import { CHANNEL_KINDS, type ChannelKind } from "../channels/channel-kind.ts";
import { type ChannelReference, parsePathReference } from "../channels/channel-reference.ts";
import { facet, foldForSearch, markFacet } from "../channels/search-text.ts";
import { type FieldErrors, fieldError } from "../errors.ts";
import { pageJsonText, toJsonText } from "../json-text.ts";
import { unknownSlug } from "./directories.ts";
import { apiMethod } from "./method.ts";
import {
  choice,
  flag,
  inPath,
  integer,
  integerList,
  type Parameter,
  required,
  text,
} from "./parameters.ts";
import { cardSchema, pageOf } from "./schemas.ts";
import type { Services } from "./services.ts";

const PAGE_SIZE_DEFAULT = 50;
const PAGE_SIZE_MAX = 100;
const IDS_MAX = 100;
const QUERY_LENGTH_MIN = 3;

export const pageSize = {
  ...integer({
    description: "Page size.",
    example: 10,
    minimum: 1,
    maximum: PAGE_SIZE_MAX,
    default: PAGE_SIZE_DEFAULT,
  }),
  default: PAGE_SIZE_DEFAULT,
};

export const cursorParameter = text({
  description: "The `cursor` in the address of `next`; not to be made up.",
});

const idList = integerList({
  description:
    `Up to ${IDS_MAX} comma-separated service numbers; their cards in this order, unknown ones ` +
    "left out.",
  example: "3,1",
  itemsMax: IDS_MAX,
});

/** `{channel}`: the service number, or the handle in any case. */
export const channelPath: Parameter<ChannelReference> & { required: true } = inPath({
  ...text({
    description: "Service number of the channel, or its handle without `@`.",
    example: "nsmag",
  }),
  parse: (given) => ({ value: parsePathReference(given) }),
});

export const channelsList = apiMethod({
  operationId: "msgr_channels_list",
  path: "/v1/msgr/channels/",
  tag: "Channels",
  title: "Channel catalog",
  description:
    "Searches and filters the catalog; filters combine with AND. Always in descending order of " +
    "`ordering`, channels without a value last. With `ids` all else is ignored.",
  units: 1,
  parameters: {
    q: text({
      description:
        `Part of the title or handle, at least ${QUERY_LENGTH_MIN} characters, in any case, ё as ` +
        "е; or a link or an `@handle`, which match exactly.",
      example: "новости",
    }),
    category: text({
      description: "Code of a category, matched by primary or additional category.",
      example: "science",
    }),
    territory: text({
      description: "Code of a territory; channels of the nodes below it match too.",
      example: "russia",
    }),
    kind: choice(CHANNEL_KINDS, { description: "Group chats are `chat`.", default: "channel" }),
    subscribers_min: integer({ description: "At least so many subscribers.", example: 1000 }),
    subscribers_max: integer({ description: "At most so many subscribers.", example: 1_000_000 }),
    a_plus: flag({
      description: "true: only with the A+ mark; false: only without it.",
      example: true,
    }),
    verified: flag({
      description: "true: only verified by their owner; false: only unverified.",
      example: true,
    }),
    ids: idList,
    ordering: choice(CATALOG_ORDERINGS, {
      description: "Always descending.",
      default: "-subscribers",
    }),
    limit: pageSize,
    cursor: cursorParameter,
  },
  soleParameter: "ids",
  result: pageOf(cardSchema),
  errors: [],
  async run(args, { services, nextUrl }) {
    if (args.ids !== undefined) {
      return pageJsonText(services.channels.cards(args.ids), null);
    }
    const ordering = args.ordering ?? "-subscribers";
    const filter = readFilter(args, services);
    const after =
      args.cursor === undefined
        ? null
        : services.cursors.read<CatalogPosition>(ordering, args.cursor);
    if (filter === null) return pageJsonText(toJsonText<CardView[]>([]), null);
    const page = await services.channels.page({
      filter,
      ordering,
      after,
      limit: args.limit ?? pageSize.default,
    });
    const next = page.last === null ? null : nextUrl(services.cursors.write(ordering, page.last));
    return pageJsonText(page.results, next);
  },
});

export const channelsRetrieve = apiMethod({
  operationId: "msgr_channels_retrieve",
  path: "/v1/msgr/channels/:channel/",
  tag: "Channels",
  title: "Channel card",
  description: "A channel by its service number or its handle.",
  units: 1,
  parameters: { channel: channelPath },
  result: cardSchema,
  errors: ["not_found"],
  run: ({ channel }, { services }) => services.channels.card(channel),
});

export const channelsResolveRetrieve = apiMethod({
  operationId: "msgr_channels_resolve_retrieve",
  path: "/v1/msgr/channels/resolve/",
  tag: "Channels",
  title: "Find a channel",
  description: "The card of the channel that a link, an `@handle` or a messenger id names.",
  units: 1,
  parameters: {
    q: required(
      text({
        description: "A link of the messenger, an `@handle`, or the messenger's own channel id.",
        example: "@nsmag",
      }),
    ),
  },
  result: cardSchema,
  errors: ["not_found"],
  run({ q }, { services: { channels } }) {
    const reference = channels.parseResolveQuery(q.trim());
    if (reference === null) {
      throw fieldError({ q: ["Enter a messenger link, an @handle or a messenger channel ID."] });
    }
    return channels.card(reference);
  },
});

interface FilterArguments {
  q: string | undefined;
  category: string | undefined;
  territory: string | undefined;
  kind: ChannelKind | undefined;
  subscribers_min: number | undefined;
  subscribers_max: number | undefined;
  a_plus: boolean | undefined;
  verified: boolean | undefined;
}

/**
 * The filter that the arguments make; null where nothing can match.
 * @throws AppError `invalid` over all wrong arguments
 */
function readFilter(
  args: FilterArguments,
  { channels, directory }: Services,
): CatalogFilter | null {
  const faults: FieldErrors = {};
  const facets: string[] = [];
  const facetsAbsent: string[] = [];

  if (args.category !== undefined) {
    const id = directory.categoryId(args.category);
    if (id === null) faults["category"] = [unknownSlug(args.category)];
    else facets.push(facet("category", id));
  }
  if (args.territory !== undefined) {
    const id = directory.territoryId(args.territory);
    if (id === null) faults["territory"] = [unknownSlug(args.territory)];
    else facets.push(facet("territory", id));
  }
  if (args.a_plus !== undefined) (args.a_plus ? facets : facetsAbsent).push(markFacet("aPlus"));
  if (args.verified !== undefined) {
    (args.verified ? facets : facetsAbsent).push(markFacet("verified"));
  }
  const kind = args.kind ?? "channel";
  if (kind === "chat") facets.push(markFacet("chat"));

  const query = (args.q ?? "").trim();
  const reference = query === "" ? null : channels.parseLinkOrHandle(query);
  const text = query === "" || reference !== null ? null : foldForSearch(query);
  if (text !== null && [...query].length < QUERY_LENGTH_MIN) {
    faults["q"] = [`Ensure this field has at least ${QUERY_LENGTH_MIN} characters.`];
  }
  if (Object.keys(faults).length > 0) throw fieldError(faults);

  if (reference !== null && reference.kind !== "handle") return null;
  // Titles and handles are on one line each, so this could only match across the two.
  if (text?.includes("\n")) return null;
  return {
    kind,
    handle: reference?.handle ?? null,
    text,
    facets,
    facetsAbsent,
    subscribersMin: args.subscribers_min ?? null,
    subscribersMax: args.subscribers_max ?? null,
  };
}
