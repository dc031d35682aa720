import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { dayOf, MOSCOW_ZONE } from "../../values/moscow-time.ts";
import {
  type BadCell,
  type ImportKind,
  RowFault,
  type RowWriter,
} from "../imports/kinds/import-kind.ts";
import { importKinds } from "../imports/kinds/import-kinds.ts";
import { readCells } from "../imports/kinds/read-cells.ts";
import type { Fields } from "../imports/reading/input-row.ts";
import { nothingRecognized } from "../imports/reading/recognized.ts";
import {
  changedBy,
  type ImportSummary,
  nothingImported,
} from "../imports/writing/import-summary.ts";
import { createTally } from "../imports/writing/tally.ts";
import { writeGoodCells } from "../imports/writing/write-rows.ts";
import { type Batch, type BatchRow, partsOf, rowsOf } from "./batch-rows.ts";
import { putChat, removeChat } from "./source-chats.store.ts";
import { countRows, selectSource, updateSource } from "./sources.store.ts";
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

/** Pause between two parts, so that other writers waiting for the lock get in. */
const PAUSE_MS = 3;

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
  const rules = { timezone: MOSCOW_ZONE, strict: false, messengerHosts };
  const summary = nothingImported(nothingRecognized(MOSCOW_ZONE));
  const [rejects, warnings] = [createTally(), createTally()];
  const rows = rowsOf(id, batch);
  const writers = ORDER.filter((name) => rows.some((row) => row.name === name)).map((name) => {
    const kind = importKinds[name] as ImportKind<never>;
    return { name, kind, writer: kind.open(db, context) };
  });
  const parts = partsOf(rows);
  for (const [at, part] of parts.entries()) {
    if (at > 0) await clock.sleep(PAUSE_MS);
    if (!(await writePart(part, part === parts.at(-1)))) return null;
    for (const { writer } of writers) await writer.afterCommit?.();
  }
  for (const { writer } of writers) await writer.afterwards?.();
  return { ...summary, rejects: rejects.groups(), warnings: warnings.groups() };

  function writePart(part: readonly BatchRow[], isLast: boolean): Promise<boolean> {
    return inTransaction(db, clock, "source-batch", async (tx) => {
      const source = await selectSource(tx, id);
      if (source === undefined || (owner !== null && source.owner !== owner)) return false;
      const before = changedBy(summary);
      for (const { name, kind, writer } of writers) {
        for (const row of part) {
          const fields = row.name === name ? await row.fieldsOf(tx) : null;
          if (fields !== null) writeRow(kind, writer, fields);
        }
        writer.beforeCommit?.();
      }
      if (isLast) {
        for (const { from } of batch.moves ?? []) await removeChat(tx, id, from);
        for (const chat of batch.chats ?? []) await putChat(tx, id, chat);
        if (position !== null) await updateSource(tx, id, { position });
      }
      // Rows that are read repeatedly count only when they change.
      const changed = changedBy(summary) - before;
      if (changed > 0)
        await countRows(tx, { sourceId: id, day: dayOf(clock.now()), rows: changed });
      return true;
    });
  }

  function writeRow(kind: ImportKind<never>, writer: RowWriter<never>, fields: Fields): void {
    const bad: BadCell[] = [];
    summary.read += 1;
    try {
      summary[writeGoodCells(kind, writer, readCells(kind, fields, rules, bad), rules, bad)] += 1;
      for (const { column, fault } of bad) warnings.add(column, fault, null, fields[column]);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      const { column, fault } = error;
      if (column === "subscribers" && fault.code === "requiredForNewChannel") {
        // A new channel whose subscribers could not be read, because the bot was removed meanwhile: it
        // starts with 0.
        summary.read -= 1;
        writeRow(kind, writer, { ...fields, subscribers: 0 });
        return;
      }
      if (fault.code === "inFuture") throw new AppError("unavailable", message("sourceClock"));
      summary.rejected += 1;
      rejects.add(column, fault, null, column === null ? null : fields[column]);
    }
  }
}
