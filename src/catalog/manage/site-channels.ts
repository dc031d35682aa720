import type { Actor } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import type { Clock } from "../../ports/clock.ts";
import { recount } from "../directory/recount.ts";
import {
  type ChannelEdit,
  editChannel,
  restoreChannel,
  setChannelPublic,
} from "./channel-changes.ts";
import type { FoundByTitle } from "./found-channels.store.ts";
import type { ChannelsSeen } from "./manage-channels.ts";
import type { Removal, Watchers } from "./removals.store.ts";
import { beginRemoval, finishRemovals } from "./removals.ts";

/** Changes of channels by staff, on the writer thread. @param watchers what watches channels */
export function siteChannelChanges(watchers: Watchers) {
  return {
    editChannel,
    setChannelPublic,
    restoreChannel,
    /** Removes a channel from everything that is answered; `followChannels` moves or deletes its rows. */
    async beginChannelRemoval(
      db: Database,
      clock: Clock,
      removal: Removal,
      by: Actor,
    ): Promise<void> {
      while (!(await beginRemoval(db, clock, watchers, removal, by))) {
        await finishRemovals(db, clock, watchers);
      }
    },
  };
}

/** Work after such changes that no form waits for: rows of removed channels, counts of directories. */
export function followChannels(watchers: Watchers) {
  return async (db: Database, clock: Clock): Promise<void> => {
    await finishRemovals(db, clock, watchers);
    await recount(db, clock);
  };
}

export type SiteChannels = ReturnType<typeof createSiteChannels>;

/**
 * Staff's operations on channels: find, show and change them.
 * @param settings of imports
 * @param followLater starts `followChannels`, which no answer waits for
 */
export function createSiteChannels(
  seen: ChannelsSeen,
  changes: Calls<ReturnType<typeof siteChannelChanges>>,
  foundByTitle: (search: { text: string; limit: number }) => Promise<FoundByTitle>,
  settings: Pick<ChannelEdit, "messengerHosts" | "openDays">,
  followLater: () => void,
) {
  return {
    find: seen.find,
    findRemoved: seen.findRemoved,
    numbered: seen.numbered,
    page: seen.page,
    byTitle: (text: string, limit: number) => foundByTitle({ text, limit }),

    async edit(edit: Pick<ChannelEdit, "id" | "cells">, by: Actor): Promise<boolean> {
      const isChanged = await changes.editChannel({ ...edit, ...settings }, by);
      if (isChanged) followLater();
      return isChanged;
    },

    async setPublic(id: number, isPublic: boolean, by: Actor): Promise<void> {
      if (await changes.setChannelPublic(id, isPublic, by)) followLater();
    },

    restore: (id: number, by: Actor): Promise<void> => changes.restoreChannel(id, by),

    async delete(id: number, by: Actor): Promise<void> {
      await changes.beginChannelRemoval({ id, intoId: null }, by);
      followLater();
    },

    /** Merges a channel into another, under whose name it is found from then on. */
    async merge(id: number, intoId: number, by: Actor): Promise<void> {
      await changes.beginChannelRemoval({ id, intoId }, by);
      followLater();
    },
  };
}
