import type { Database, Transaction } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { dayOf, MOSCOW_ZONE } from "../../values/moscow-time.ts";
import {
  type BadCell,
  type ImportKind,
  RowFault,
  type RowWriter,
} from "../imports/import-kind.ts";
import { importKinds } from "../imports/import-kinds.ts";
import { readCells } from "../imports/read-cells.ts";
import type { Fields } from "../imports/source-row.ts";
import { createTally, type ReasonGroup } from "../imports/tally.ts";
import { countRows, selectSource, updateSource } from "./sources.store.ts";
import type { SourcePosition } from "./sources.table.ts";

/** What a messenger told, as rows of an import; plain data, since it is sent to a thread. */
export interface Batch {
  channels: readonly Fields[];
  posts: readonly Fields[];
  stats: readonly Fields[];
}

export interface BatchRun {
  /** The source, and the process that has it. */
  id: number;
  owner: string;
  batch: Batch;
  /** How far the source was read with it. */
  position: SourcePosition;
  messengerHosts: readonly string[];
  openDays: number;
}

const ORDER = ["channels", "posts", "stats"] as const;

/**
 * Writes a batch and how far it goes in one transaction: nothing is read twice, and nothing is missed
 * (sources, section 1). A row that cannot be written is left out.
 * @returns the reasons of rows that were left out; null, with nothing written, where another process has
 *   the source by now
 */
export async function applyBatch(
  db: Database,
  clock: Clock,
  { id, owner, batch, position, messengerHosts, openDays }: BatchRun,
): Promise<ReasonGroup[] | null> {
  const context = { clock, folder: null, messengerHosts, openDays, note: () => {} };
  const rejects = createTally();
  const writers = ORDER.filter((name) => batch[name].length > 0).map((name) => {
    const kind = importKinds[name] as ImportKind<never>;
    return { name, kind, writer: kind.open(db, context) };
  });
  const isWritten = await inTransaction(db, clock, "source-batch", async (tx: Transaction) => {
    if ((await selectSource(tx, id))?.owner !== owner) return false;
    let rows = 0;
    for (const { name, kind, writer } of writers) {
      for (const fields of batch[name]) rows += writeRow(kind, writer, fields);
      writer.beforeCommit?.();
    }
    await updateSource(tx, id, { position });
    if (rows > 0) await countRows(tx, { sourceId: id, day: dayOf(clock.now()), rows });
    return true;
  });
  if (!isWritten) return null;
  for (const { writer } of writers) await writer.afterCommit?.();
  for (const { writer } of writers) await writer.afterwards?.();
  return rejects.groups();

  /** @returns 1 where it was written */
  function writeRow(kind: ImportKind<never>, writer: RowWriter<never>, fields: Fields): number {
    const bad: BadCell[] = [];
    const rules = { timezone: MOSCOW_ZONE, strict: false, messengerHosts };
    try {
      writer.write(readCells(kind, fields, rules, bad));
      return 1;
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      rejects.add(error.column, error.fault, 0, null);
      return 0;
    }
  }
}
