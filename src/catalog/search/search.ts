import type { Database } from "../../db/database.ts";
import { ownQueueLong } from "../../db/deadline.ts";
import { createReadCache } from "../../db/read-transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Claims, createOwnClaims, takeOneOf } from "../../values/claims.ts";
import { createTurns, currentTenant } from "../../values/tenant.ts";
import type { ChannelKind } from "../channels/channel-reference.ts";
import { cardsVersion } from "../channels/channels.store.ts";
import { selectLeftOut } from "../metrics/metrics.store.ts";
import type {
  CatalogCount,
  CatalogFilter,
  CatalogPage,
  CatalogSelection,
  SelectionView,
} from "./catalog.ts";
import type { Found } from "./plans/candidates.ts";
import { isShortWalk, isStart } from "./query.ts";
import { COUNTED_MAX, selectCatalog } from "./select-catalog.ts";

/**
 * Limit for one organization's selections waiting to be described: each takes up to some tens of
 * milliseconds.
 */
const DESCRIBED_WAITING_MAX = 20;

/** Limit for starts of the catalog that are cached: some 10 MB, a page of 50 cards has 40 KB. */
const STARTS_CACHED_MAX = 100;

export type Search = ReturnType<typeof createSearch>;

/**
 * Pages of the catalog, and counts and statistics of what filters select.
 * @param readers run potentially slow queries on reader threads
 * @param claims slots for the slowest queries, shared by several workers
 */
export function createSearch(
  db: Database,
  readers: {
    selectCatalog(selection: CatalogSelection): Promise<CatalogPage>;
    countCatalog(filter: CatalogFilter): Promise<CatalogCount>;
    topSubscribers(categoryId: number): Promise<Found[]>;
    describeSelection(request: {
      filter: CatalogFilter;
      mayTakeLong: boolean;
    }): Promise<SelectionView | null>;
  },
  clock: Pick<Clock, "monotonic" | "sleep">,
  claims?: Claims,
) {
  const large = createLargeSelections(
    (filter) => readers.describeSelection({ filter, mayTakeLong: true }),
    clock,
    claims,
  );
  const turns = createTurns(DESCRIBED_WAITING_MAX, ownQueueLong);
  const starts = createReadCache<string, { page: CatalogPage | null }>(db, STARTS_CACHED_MAX, () =>
    cardsVersion(db),
  );
  /** Short walks run on this thread, because passing them to another would cost more. */
  const find = (selection: CatalogSelection): CatalogPage | Promise<CatalogPage> =>
    isShortWalk(selection) ? selectCatalog(db, selection) : readers.selectCatalog(selection);
  // Read once for all channels of a category: a crawler asks for each channel's place, and counting them
  // one by one walks some ten thousand channels for each.
  const tops = new Map<number, { untilMs: number; channels: Promise<Found[]> }>();
  function topOf(categoryId: number): Promise<Found[]> {
    const known = tops.get(categoryId);
    if (known !== undefined && clock.monotonic() < known.untilMs) return known.channels;
    const channels = readers.topSubscribers(categoryId);
    tops.set(categoryId, { untilMs: clock.monotonic() + TOP_CACHED_MS, channels });
    channels.catch(() => tops.delete(categoryId));
    return channels;
  }
  return {
    /** A page of the catalog. Where the whole catalog begins is read again once a card has changed. */
    page(selection: CatalogSelection): CatalogPage | Promise<CatalogPage> {
      if (!isStart(selection)) return find(selection);
      // Cached under the version before the search, so that no page is older than its version.
      const start = starts(JSON.stringify(selection), () => ({ page: null }));
      if (start?.page != null) return start.page;
      const keep = (page: CatalogPage): CatalogPage => {
        if (start !== undefined) start.page = page;
        return page;
      };
      const found = find(selection);
      return found instanceof Promise ? found.then(keep) : keep(found);
    },

    /** How many channels, or chats, orderings by metrics left out when these were computed. */
    leftOut: (kind: ChannelKind): number =>
      selectLeftOut(db)[kind === "chat" ? "chats" : "channels"],

    count: (filter: CatalogFilter): Promise<CatalogCount> => readers.countCatalog(filter),

    /**
     * A channel's place by subscribers in a category, among the others as they were up to ten minutes ago; null
     * beyond the first 1,000.
     */
    async rank(categoryId: number, channel: Found): Promise<number | null> {
      const top = await topOf(categoryId);
      const own = channel.value ?? 0;
      const isKnown = top.length < COUNTED_MAX || own >= (top.at(-1)?.value ?? 0);
      if (!isKnown) return null;
      return 1 + top.filter(({ id, value }) => id !== channel.id && (value ?? 0) > own).length;
    },

    /**
     * Statistics of the matching channels.
     * @throws AppError `throttled` if too many of the organization's selections are waiting to be counted
     */
    async describe(filter: CatalogFilter): Promise<SelectionView> {
      return (
        (await turns.take(() => readers.describeSelection({ filter, mayTakeLong: false }))) ??
        large.describe(filter)
      );
    },
  };
}

/**
 * How long the subscribers of a category's first channels are cached: they take 0.1 to 0.6 s to read at a million
 * channels, and places change by the day.
 */
const TOP_CACHED_MS = 10 * 60_000;

/** How long a large selection's statistics are cached. */
const CACHED_MS = 60_000;
const CACHED_MAX = 100;
/**
 * Limit for one organization's selections being counted or waiting. Each takes a second or two at a
 * million channels.
 */
const SELECTIONS_MAX = 5;
/**
 * Limit for selections being counted, across organizations and workers, so that other threads stay free
 * for searches.
 */
const COUNTING_MAX = 2;
/** Interval for checking whether a slot was released. */
const POLL_MS = 20;

interface Cached {
  view: SelectionView;
  untilMs: number;
}

/**
 * Statistics of selections that require scanning all channels. One selection of each organization is
 * counted at a time, so that nobody waits behind all of another's. Results are cached for a minute: little
 * changes in a minute among so many channels.
 * @param claims slots for counting, shared by all workers
 */
export function createLargeSelections(
  count: (filter: CatalogFilter) => Promise<SelectionView | null>,
  clock: Pick<Clock, "monotonic" | "sleep">,
  claims: Claims = createOwnClaims(),
) {
  const cache = new Map<string, Cached>();
  /**
   * Selections being counted or waiting, by organization and filters. A repeated request gets the same
   * promise.
   */
  const pending = new Map<string, Promise<SelectionView>>();
  // Within this process an organization's selections wait in order, and only the first one polls for slots,
  // which it shares with the other workers.
  const turns = createTurns(SELECTIONS_MAX, ownQueueLong);

  async function inTurn(key: string, filter: CatalogFilter): Promise<SelectionView> {
    const view = await turns.take(() => inSlots(claims, clock, () => count(filter)));
    if (view === null) throw new Error("a large selection was not counted");
    cache.delete(key);
    cache.set(key, { view, untilMs: clock.monotonic() + CACHED_MS });
    const [oldest] = cache.keys();
    if (cache.size > CACHED_MAX && oldest !== undefined) cache.delete(oldest);
    return view;
  }

  return {
    /**
     * Statistics of a selection, from the cache or counted in turn.
     * @throws AppError `throttled` if too many of the organization's selections are waiting, `timeout` if it
     * takes too long
     */
    async describe(filter: CatalogFilter): Promise<SelectionView> {
      const key = JSON.stringify(filter);
      const cached = cache.get(key);
      if (cached !== undefined && clock.monotonic() < cached.untilMs) return cached.view;
      const request = `${currentTenant()} ${key}`;
      const same = pending.get(request);
      if (same !== undefined) return same;
      const slot = takeOneOf(claims, `of ${currentTenant()}`, SELECTIONS_MAX);
      if (slot === null) throw ownQueueLong();
      const turn = inTurn(key, filter).finally(() => {
        pending.delete(request);
        claims.giveBack(slot);
      });
      pending.set(request, turn);
      return turn;
    },
  };
}

/** Runs the work once no worker counts for the tenant, and a slot for counting is free. */
async function inSlots<Result>(
  claims: Claims,
  clock: Pick<Clock, "sleep">,
  work: () => Promise<Result>,
): Promise<Result> {
  const own = await acquire(claims, clock, `turn of ${currentTenant()}`, 1);
  try {
    const slot = await acquire(claims, clock, "turn", COUNTING_MAX);
    try {
      return await work();
    } finally {
      claims.giveBack(slot);
    }
  } finally {
    claims.giveBack(own);
  }
}

/** Waits until one of `slots` slots with a name is free, and takes it. */
async function acquire(
  claims: Claims,
  clock: Pick<Clock, "sleep">,
  name: string,
  slots: number,
): Promise<string> {
  for (;;) {
    const slot = takeOneOf(claims, name, slots);
    if (slot !== null) return slot;
    await clock.sleep(POLL_MS);
  }
}
