import { queryTimeout } from "../../db/deadline.ts";
import type { Clock } from "../../ports/clock.ts";
import { presentAsker } from "../../values/asker.ts";
import { type Claims, createOwnClaims, takeOneOf } from "../../values/claims.ts";
import type { CatalogFilter } from "./catalog.ts";
import type { SelectionView } from "./selection.ts";
import { createTurns } from "./turns.ts";

/** How long a large selection's statistics are shown again, without counting anew. */
const KEPT_MS = 60_000;
const KEPT_MAX = 100;
/** Selections of one asker that are counted or wait for it. Each takes a second or two at a million channels. */
const ASKED_MAX = 5;
/** Selections that are counted at once, of all askers and in all workers: other threads stay free for searches. */
const AT_ONCE_MAX = 2;
/** How often it is looked whether a turn was given back. */
const LOOK_MS = 20;

interface Kept {
  view: SelectionView;
  untilMs: number;
}

/**
 * Statistics of selections for which all channels must be looked at. Of an asker one is counted at a time, so that
 * nobody waits for all of another's, and kept for a minute: among so many channels little changes.
 * @param claims turns; several workers share theirs
 */
export function createLargeSelections(
  count: (filter: CatalogFilter) => Promise<SelectionView | null>,
  clock: Pick<Clock, "monotonic" | "sleep">,
  claims: Claims = createOwnClaims(),
) {
  const kept = new Map<string, Kept>();
  /** Those that are counted or wait, by asker and filters: whoever asks for the same again gets the same. */
  const coming = new Map<string, Promise<SelectionView>>();
  // Those of this process wait in their order, and only the first of them looks for the other workers' turns.
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

  /** Runs when no other worker counts one for the asker, and few are counted for others. */
  async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const own = await taken(`turn of ${presentAsker()}`, 1);
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

  /** Waits for one of some places. */
  async function taken(name: string, places: number): Promise<string> {
    for (;;) {
      const place = takeOneOf(claims, name, places);
      if (place !== null) return place;
      await clock.sleep(LOOK_MS);
    }
  }

  return {
    /** @throws AppError `timeout` where too many of the asker's wait already, or where it takes too long */
    async describe(filter: CatalogFilter): Promise<SelectionView> {
      const key = JSON.stringify(filter);
      const known = kept.get(key);
      if (known !== undefined && clock.monotonic() < known.untilMs) return known.view;
      const asked = `${presentAsker()} ${key}`;
      const same = coming.get(asked);
      if (same !== undefined) return same;
      const place = takeOneOf(claims, `of ${presentAsker()}`, ASKED_MAX);
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
