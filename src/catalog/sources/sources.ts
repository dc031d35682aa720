import type { Database } from "../../db/database.ts";
import { notFound } from "../../errors.ts";
import type { Ports } from "../../ports/ports.ts";
import { dayOf } from "../../values/moscow-time.ts";
import type { RunSurroundings } from "./claimed-run.ts";
import { createImportTurns } from "./import-turns.ts";
import { createPushes } from "./max/pushes.ts";
import { type AddingTools, createSourceAdding } from "./source-adding.ts";
import type { SourceChanges } from "./source-changes.ts";
import { selectChats } from "./source-chats.store.ts";
import { createSourceRuns } from "./source-runs.ts";
import { isSilent } from "./source-schedule.ts";
import {
  selectRowsByDay,
  selectSource,
  selectSourceNamed,
  selectSources,
} from "./sources.store.ts";
import type { Source, SourceChat } from "./sources.table.ts";

export type Sources = ReturnType<typeof createSources>;

/**
 * Sources: places that data is fetched from automatically.
 * @param db for reading
 * @param changes run on a writing connection
 */
export function createSources(
  db: Database,
  changes: SourceChanges,
  surroundings: RunSurroundings &
    Pick<AddingTools, "allows"> & {
      /** Base address that MAX can push to; null if it accepts none of ours. */
      pushBase: string | null;
    },
  { clock, random, log }: Pick<Ports, "clock" | "random" | "log">,
) {
  const { secrets, pushBase, applyBatch } = surroundings;
  const pushes = createPushes(db, changes, {
    base: pushBase,
    secrets,
    write: (id, batch) => applyBatch({ id, owner: null, batch, position: null }),
  });
  const turns = createImportTurns(clock);
  const parts = { db, changes, pushes, surroundings, turns, clock, log };
  const { signal, ...runs } = createSourceRuns(parts, random);
  return {
    ...changes,
    ...runs,
    ...createSourceAdding(changes, { ...surroundings, random, signal }),
    setPushes: pushes.set,
    openPush: pushes.open,

    list: (): Promise<Source[]> => selectSources(db),

    chats: (id: number): Promise<SourceChat[]> => selectChats(db, { sourceId: id }),

    /** Finds a source by number or name. @throws AppError `not_found` */
    async find(named: string): Promise<Source> {
      const isNumber = /^\d+$/.test(named);
      const found = await (isNumber
        ? selectSource(db, { id: Number(named) })
        : selectSourceNamed(db, { name: named }));
      if (found === undefined) throw notFound("source", named);
      return found;
    },

    /** Rows read on each of the last `days` days that had any, earliest first. */
    rowsByDay: (id: number, days: number) =>
      selectRowsByDay(db, { sourceId: id, from: dayOf(clock.now()) - days + 1 }),

    async silent(): Promise<Source[]> {
      const nowMs = clock.now();
      return (await selectSources(db)).filter((source) => isSilent(source, nowMs));
    },
  };
}
