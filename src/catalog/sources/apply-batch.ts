import type { Database, Transaction } from "../../db/database.ts";
import { inSlice } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { dayOf } from "../../values/moscow-time.ts";
import type { ImportSummary } from "../imports/writing/import-summary.ts";
import { type Batch, partsOf, rowsOf } from "./batch-rows.ts";
import { createBatchWriter } from "./batch-writer.ts";
import { putChat, removeChat } from "./source-chats.store.ts";
import { countRows, RUN_KILLED, selectSource, updateSource } from "./sources.store.ts";
import type { SourcePosition } from "./sources.table.ts";

export interface BatchRun {
  /**
   * The source, and the process that holds it; null for pushed updates, which are written whichever process
   * holds it.
   */
  id: number;
  owner: string | null;
  batch: Batch;
  /** Position to store with the batch; null to keep the present one. */
  position: SourcePosition | null;
  messengerHosts: readonly string[];
  openDays: number;
}

const ORDER = ["channels", "posts", "stats"] as const;

/**
 * Writes a batch and its position, in transactions of limited size; the position is committed with the last
 * one (sources, section 1). If the process is killed before that, the batch is read and written again,
 * which duplicates nothing. Rows that cannot be written are skipped and counted as rejected.
 * @returns null, with nothing more written, if another process holds the source by now, or it is gone
 * @throws AppError `unavailable`, without storing the position, for a post from the future: this machine's
 * clock is wrong, and the post must not be lost because of that
 */
export async function applyBatch(
  db: Database,
  clock: Clock,
  { id, owner, batch, position, messengerHosts, openDays }: BatchRun,
): Promise<ImportSummary | null> {
  const context = { clock, folder: null, messengerHosts, openDays, note: () => {} };
  const rows = rowsOf(id, batch);
  const kinds = ORDER.filter((name) => rows.some((row) => row.name === name));
  const writer = createBatchWriter(db, kinds, context);
  const parts = partsOf(rows);
  for (const part of parts) {
    const isWritten = await inSlice(db, clock, "source-batch", async (tx) => {
      const source = await selectSource(tx, { id });
      if (source === undefined || (owner !== null && source.owner !== owner)) return false;
      const changed = await writer.write(tx, part);
      if (part === parts.at(-1)) await writeState(tx, id, batch, position);
      // Rows that are read repeatedly count only when they change.
      if (changed > 0) {
        await countRows(tx, { sourceId: id, day: dayOf(clock.now()), rows: changed });
        // Its process was killed, but not by what this source sends: reading gets on.
        if (source.failure?.code === RUN_KILLED.code) {
          await updateSource(tx, id, { failures: 0, failure: null });
        }
      }
      return true;
    });
    if (!isWritten) return null;
    await writer.afterCommit();
  }
  await writer.afterwards();
  return writer.summary();
}

/** Writes the source's channels and position, with the last part of a batch. */
async function writeState(
  tx: Transaction,
  id: number,
  { moves = [], chats = [] }: Batch,
  position: SourcePosition | null,
): Promise<void> {
  for (const { from } of moves) await removeChat(tx, id, from);
  for (const chat of chats) await putChat(tx, id, chat);
  if (position !== null) await updateSource(tx, id, { position });
}
