import { type Actor, recordChange } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { inTransaction, transaction } from "../../../db/transaction.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Message } from "../../../values/messages/messages.ts";
import type { ImportKindName } from "../kinds/import-kinds.ts";
import { INTERRUPTED } from "../reading/input.ts";
import { endRun, insertRun, saveHeartbeat } from "./import-runs.store.ts";
import type { RunProgress } from "./import-runs.table.ts";

export type ImportRunChanges = Calls<typeof importRunChanges>;

/** @returns number of the run */
function startImport(
  db: Database,
  clock: Clock,
  run: { kind: ImportKindName; fileName: string; summary: RunProgress; owner: string },
  by: Actor,
): Promise<number> {
  const { kind, fileName, summary } = run;
  const { options, bytes } = summary;
  return inTransaction(db, clock, "import-start", async (tx) => {
    const { id } = await insertRun(tx, { ...run, person: by.person, startedAt: clock.now() });
    await recordChange(tx, clock, by, {
      action: "import.start",
      id,
      details: {
        kind,
        file: fileName,
        bytes,
        ...(options.dryRun && { dryRun: true }),
        ...(options.replace && { replace: true }),
      },
    });
    return id;
  });
}

/** @param failure null if it succeeded */
const endImport = transaction("import-end", (tx, clock, id: number, failure: Message | null) =>
  endRun(tx, id, clock.now(), failure),
);

/**
 * Records a heartbeat for a process's runs, and ends those of processes that are gone.
 * @param gone numbers of the runs to end
 */
const importHeartbeat = transaction(
  "import-heartbeat",
  async (tx, clock, owner: string, gone: readonly number[]) => {
    const now = clock.now();
    await saveHeartbeat(tx, { owner, now });
    for (const id of gone) await endRun(tx, id, now, INTERRUPTED);
  },
);

/** Changes of import runs, one transaction each. */
export const importRunChanges = { startImport, endImport, importHeartbeat };
