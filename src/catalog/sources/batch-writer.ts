import type { Database, Transaction } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { MOSCOW_ZONE } from "../../values/moscow-time.ts";
import {
  type BadCell,
  type ImportContext,
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
import type { BatchRow } from "./batch-rows.ts";

/**
 * Writes a batch's rows, inside the caller's transactions. Rows that cannot be written are skipped and
 * counted as rejected.
 * @param names kinds of the rows, in the order in which they are written
 */
export function createBatchWriter(
  db: Database,
  names: readonly BatchRow["name"][],
  context: ImportContext,
) {
  const { messengerHosts } = context;
  const rules = { timezone: MOSCOW_ZONE, strict: false, messengerHosts };
  const summary = nothingImported(nothingRecognized(MOSCOW_ZONE));
  const rejects = createTally();
  const warnings = createTally();
  const writers = names.map((name) => {
    const kind = importKinds[name] as ImportKind<never>;
    return { name, kind, writer: kind.open(db, context) };
  });

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
        // A new channel that the bot was removed from before its subscribers were read starts with 0.
        summary.read -= 1;
        writeRow(kind, writer, { ...fields, subscribers: 0 });
        return;
      }
      if (fault.code === "inFuture") throw new AppError("unavailable", message("sourceClock"));
      summary.rejected += 1;
      rejects.add(column, fault, null, column === null ? null : fields[column]);
    }
  }

  return {
    /**
     * @returns number of rows added or changed
     * @throws AppError `unavailable` for a post from the future
     */
    async write(tx: Transaction, rows: readonly BatchRow[]): Promise<number> {
      const before = changedBy(summary);
      for (const { name, kind, writer } of writers) {
        for (const row of rows) {
          const fields = row.name === name ? await row.fieldsOf(tx) : null;
          if (fields !== null) writeRow(kind, writer, fields);
        }
        writer.beforeCommit?.();
      }
      return changedBy(summary) - before;
    },

    /** Must be called after each commit. */
    async afterCommit(): Promise<void> {
      for (const { writer } of writers) await writer.afterCommit?.();
    },

    /** Must be called after the last commit. */
    async afterwards(): Promise<void> {
      for (const { writer } of writers) await writer.afterwards?.();
    },

    summary(): ImportSummary {
      return { ...summary, rejects: rejects.groups(), warnings: warnings.groups() };
    },
  };
}
