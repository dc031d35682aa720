import type { Database } from "../../db/database.ts";
import { createReadCache } from "../../db/read-transaction.ts";
import { notFound } from "../../errors.ts";
import type { JsonText } from "../../values/json-text.ts";
import type { CardView } from "./card.ts";
import type { ChannelReference } from "./channel-reference.ts";
import { parseLinkOrHandle, parseResolveQuery } from "./channel-reference.ts";
import {
  cardsVersion,
  type HandleOwner,
  selectCardByHandle,
  selectCardById,
  selectCardByMessengerId,
  selectCards,
  selectId,
  selectNewest,
  selectPublicId,
} from "./channels.store.ts";
import { formerHandlesOf } from "./handles.store.ts";
import { createRemovedChannels } from "./removed-channels.store.ts";
import { type CardWithMetrics, withMetrics } from "./stored-card.ts";

/** Limit for cards cached by id, and for those by handle: typically some 6 MB in all, at most 80 MB. */
const CARDS_CACHED_MAX = 2_000;

export function findPublicId(db: Database, reference: ChannelReference): number | null {
  return selectPublicId(db, reference);
}

export type Channels = ReturnType<typeof createChannels>;

/**
 * Public channels and their cards; channels that are not public never appear.
 * @param hosts the messenger's hosts, by which links are recognized
 * @param idsByHandle may take long, so it runs on reader threads
 */
export function createChannels(
  db: Database,
  hosts: readonly string[],
  idsByHandle: (handles: readonly string[]) => Promise<HandleOwner[]>,
) {
  const version = (): number => cardsVersion(db);
  const cardsById = createReadCache<number, JsonText<CardView>>(db, CARDS_CACHED_MAX, version);
  const cardsByHandle = createReadCache<string, JsonText<CardView>>(db, CARDS_CACHED_MAX, version);

  function findCard(reference: ChannelReference): JsonText<CardView> | undefined {
    switch (reference.kind) {
      case "id":
        return cardsById(reference.id, (id) => selectCardById(db, id));
      case "handle":
        return cardsByHandle(reference.handle, (handle) => selectCardByHandle(db, handle));
      case "messengerId":
        return selectCardByMessengerId(db, reference.messengerId);
      case "nothing":
        return undefined;
    }
  }

  /** @throws AppError `not_found` */
  function card(reference: ChannelReference): JsonText<CardView> {
    const found = findCard(reference);
    if (found === undefined) throw notFound("channel");
    return found;
  }

  return {
    card,

    /** Cards in the order of the numbers; unknown ones are omitted. */
    cards: (ids: readonly number[]): JsonText<CardView[]> => selectCards(db, ids),

    cardsWithMetrics: (ids: readonly number[]) => withMetrics(db, selectCards(db, ids)),

    /** @throws AppError `not_found` */
    cardWithMetrics(reference: ChannelReference): CardWithMetrics {
      const [found] = withMetrics(db, `[${card(reference)}]` as JsonText<CardView[]>);
      return found as CardWithMetrics;
    },

    /** When a channel gave up the handles that it had before, by handle; null: when is not known. */
    formerHandles: (id: number): ReadonlyMap<string, number | null> =>
      new Map(formerHandlesOf(db, id).map(({ handle, givenUpAt }) => [handle, givenUpAt])),

    /** Service numbers of the public channels that were added last: the highest ones. */
    newest: (limit: number): number[] => selectNewest(db, limit),

    findId: (reference: ChannelReference): number | null => selectPublicId(db, reference),

    /**
     * Service numbers of public channels by the handles as given. One statement for 5,000 handles
     * keeps a thread busy for 50 to 150 ms; one statement for each would take three times as long.
     */
    async findIdsByHandle(handles: readonly string[]): Promise<Map<string, number>> {
      const owners = await idsByHandle(handles);
      return new Map(owners.map(({ handle, id }) => [handle, id]));
    },

    /** Whether a channel has the handle or had it last, even one that is hidden or was deleted. */
    isKnownHandle: (handle: string): boolean =>
      selectId(db, { kind: "handle", handle }) !== null ||
      createRemovedChannels(db).byHandle(handle) !== undefined,

    parseLinkOrHandle: (text: string) => parseLinkOrHandle(text, hosts),
    parseResolveQuery: (text: string) => parseResolveQuery(text, hosts),
  };
}
