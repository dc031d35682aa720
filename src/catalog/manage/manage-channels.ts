import type { Actor } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ChannelRecord } from "../channels/card.ts";
import { createChannelRecords } from "../channels/channel-records.store.ts";
import { parseResolveQuery } from "../channels/channel-reference.ts";
import { recordsAfter, selectId } from "../channels/channels.store.ts";
import { createRemovedChannels } from "../channels/removed-channels.store.ts";
import { recount } from "../directory/recount.ts";
import type { ChannelEdit } from "./channel-changes.ts";
import { editChannel, restoreChannel, setChannelPublic } from "./channel-changes.ts";
import type { TitleSearch } from "./found-channels.store.ts";
import { countRows, type Removal, type Watchers } from "./removals.store.ts";
import { beginRemoval, finishRemovals, removeChannel } from "./removals.ts";

/** A channel as the operator sees it, public or not. */
export interface ManagedChannel extends ChannelRecord {
  posts: number;
  days: number;
  webhooks: number;
}

export type ManageChannels = ReturnType<typeof createManageChannels>;

/**
 * The operator's actions on channels. Those that name a channel throw `not_found` for a number that no
 * channel has.
 * @param hosts the messenger's hosts, by which links are recognized
 */
export function createManageChannels(
  db: Database,
  clock: Clock,
  hosts: readonly string[],
  watchers: Watchers,
) {
  return {
    ...createChannelsSeen(db, clock, hosts, watchers),

    /** @returns whether that changed anything */
    async setPublic(id: number, isPublic: boolean, by: Actor): Promise<boolean> {
      const isChanged = await setChannelPublic(db, clock, id, isPublic, by);
      if (isChanged) await recount(db, clock);
      return isChanged;
    },

    /** Deletes a channel with its posts and statistics; its number is never reused. */
    async delete(id: number, by: Actor): Promise<void> {
      await removeChannel(db, clock, watchers, { id, intoId: null }, by);
      await recount(db, clock);
    },

    restore: (id: number, by: Actor): Promise<void> => restoreChannel(db, clock, id, by),

    /** Merges a channel into another, under whose name it is found from then on. */
    async merge(id: number, intoId: number, by: Actor): Promise<void> {
      await removeChannel(db, clock, watchers, { id, intoId }, by);
      await recount(db, clock);
    },
  };
}

type ChannelsSeen = ReturnType<typeof createChannelsSeen>;

export function createChannelsSeen(
  db: Database,
  clock: Clock,
  hosts: readonly string[],
  watchers: Pick<Watchers, "count">,
) {
  /** Digits are a service number, or a messenger id if no channel has that service number. */
  function find(name: string): number | null {
    const id = /^\d+$/.test(name) ? selectId(db, { kind: "id", id: Number(name) }) : null;
    const reference = id === null ? parseResolveQuery(name, hosts) : null;
    return reference === null ? id : selectId(db, reference);
  }

  function withNumber(id: number | null): ManagedChannel | null {
    const record = id === null ? undefined : createChannelRecords(db, clock).byId(id);
    if (record === undefined) return null;
    return { ...record, ...countRows(db, record.id), webhooks: watchers.count(db, record.id) };
  }

  return {
    find: (name: string): number | null => find(name.trim()),

    /** The removed channel that has a number, messenger id, handle or link; null if none does. */
    findRemoved(name: string): number | null {
      const removed = createRemovedChannels(db);
      const text = name.trim();
      const numbered = /^\d+$/.test(text) ? removed.byId(Number(text)) : undefined;
      if (numbered !== undefined) return numbered.id;
      const reference = parseResolveQuery(text, hosts);
      if (reference?.kind === "handle") return removed.byHandle(reference.handle)?.id ?? null;
      if (reference?.kind !== "messengerId") return null;
      return removed.byMessengerId(reference.messengerId)?.id ?? null;
    },

    /**
     * @param name a service number, a messenger id, an `@handle` or a link
     * @throws AppError `not_found`
     */
    channel(name: string): ManagedChannel {
      const channel = withNumber(find(name.trim()));
      if (channel === null) throw notFound("channel", name);
      return channel;
    },

    /**
     * The channel with this service number, and never one with this messenger id: a form that was sent
     * again must not change another channel after the first has been deleted.
     * @throws AppError `not_found`
     */
    numbered(id: number): ManagedChannel {
      const channel = withNumber(id);
      if (channel === null) throw notFound("channel", id);
      return channel;
    },

    page: (afterId: number, limit: number): ChannelRecord[] => [
      ...recordsAfter(db, afterId, limit),
    ],
  };
}

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
  byTitle: (search: TitleSearch) => Promise<ChannelRecord[]>,
  settings: Pick<ChannelEdit, "messengerHosts" | "openDays">,
  followLater: () => void,
) {
  return {
    find: seen.find,
    findRemoved: seen.findRemoved,
    numbered: seen.numbered,
    page: seen.page,
    byTitle,

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
