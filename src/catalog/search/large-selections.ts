import { queryTimeout } from "../../db/deadline.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Claims, createOwnClaims, takeOneOf } from "../../values/claims.ts";
import { currentTenant } from "../../values/tenant.ts";
import type { CatalogFilter } from "./catalog.ts";
import type { SelectionView } from "./selection.ts";
import { createTurns } from "./turns.ts";

/** How long a large selection's statistics are cached. */
const KEPT_MS = 60_000;
const KEPT_MAX = 100;
/**
 * Selections of one organization that may be counted or waiting at once. Each takes a second or two at a
 * million channels.
 */
const ASKED_MAX = 5;
/**
 * Selections that are counted at once, across organizations and workers, so that other threads stay free
 * for searches.
 */
const AT_ONCE_MAX = 2;
/** How often to check whether a slot was released. */
const LOOK_MS = 20;

interface Kept {
  view: SelectionView;
  untilMs: number;
}

/**
 * Statistics of selections that require scanning all channels. Each organization has one counted at a time,
 * so that nobody waits behind all of another's. Results are cached for a minute, in which little changes
 * among so many channels.
 * @param claims slots, shared by several workers
 */
export function createLargeSelections(
  count: (filter: CatalogFilter) => Promise<SelectionView | null>,
  clock: Pick<Clock, "monotonic" | "sleep">,
  claims: Claims = createOwnClaims(),
) {
  const kept = new Map<string, Kept>();
  /**
   * Selections being counted or waiting, by organization and filters: asking again returns the same
   * promise.
   */
  const coming = new Map<string, Promise<SelectionView>>();
  // Within this process selections wait in order, and only the first one polls for a slot of the other
  // workers.
  const turns = createTurns(ASKED_MAX);

  async function inTurn(key: string, filter: CatalogFilter): Promise<SelectionView> {
    const view = await turns.take(() => alone(() => count(filter)));
    if (view === null) throw new Error("a large selection was not counted");
    kept.delete(key);
    kept.set(key, { view, untilMs: clock.monotonic() + KEPT_MS });
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return view;
  }

  /** Runs once no other worker counts for the organization, and a slot is free among all. */
  async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const own = await taken(`turn of ${currentTenant()}`, 1);
    try {
      const place = await taken("turn", AT_ONCE_MAX);
      try {
        return await work();
      } finally {
        claims.giveBack(place);
      }
    } finally {
      claims.giveBack(own);
    }
  }

  /** Waits until one of some slots is free, and takes it. */
  async function taken(name: string, places: number): Promise<string> {
    for (;;) {
      const place = takeOneOf(claims, name, places);
      if (place !== null) return place;
      await clock.sleep(LOOK_MS);
    }
  }

  return {
    /**
     * @throws AppError `timeout` if too many of the organization's selections are waiting, or it takes too
     * long
     */
    async describe(filter: CatalogFilter): Promise<SelectionView> {
      const key = JSON.stringify(filter);
      const known = kept.get(key);
      if (known !== undefined && clock.monotonic() < known.untilMs) return known.view;
      const asked = `${currentTenant()} ${key}`;
      const same = coming.get(asked);
      if (same !== undefined) return same;
      const place = takeOneOf(claims, `of ${currentTenant()}`, ASKED_MAX);
      if (place === null) throw queryTimeout();
      const turn = inTurn(key, filter).finally(() => {
        coming.delete(asked);
        claims.giveBack(place);
      });
      coming.set(asked, turn);
      return turn;
    },
  };
}
