import type { Actor } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Watchers } from "../manage/removals.store.ts";
import { isSampleUnfinished, loadSample } from "./load-sample.ts";
import { removeSample } from "./remove-sample.ts";
import { hasOwnChannels, selectSample } from "./sample.store.ts";

export type Sample = ReturnType<typeof createSample>;

/** The shipped channels for trying out the appliance. */
export function createSample(db: Database, clock: Clock, watchers: Watchers) {
  return {
    load: (): Promise<void> => loadSample(db, clock),
    isUnfinished: (): boolean => isSampleUnfinished(db),
    /** Numbers of its channels, without those that an import changed. */
    ids: (): number[] => selectSample(db),
    hasOwnChannels: (): boolean => hasOwnChannels(db),
    isCatalogEmpty: (): boolean => selectSample(db).length === 0 && !hasOwnChannels(db),
    /** @returns number of channels removed */
    remove: (by: Actor): Promise<number> => removeSample(db, clock, watchers, by),
  };
}
