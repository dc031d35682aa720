import { type Actor, recordChange } from "../../../customers/audit/audit-log.ts";
import { tellOperator } from "../../../customers/operator-events/operator-events.store.ts";
import type { Transaction } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { transaction } from "../../../db/transaction.ts";
import { inEnglish, type Message } from "../../../values/messages/messages.ts";
import type { ImportKindName } from "../kinds/import-kinds.ts";
import { INTERRUPTED } from "../reading/input.ts";
import type { RunProgress } from "./import-runs.store.ts";
import { endRun, insertRun, saveHeartbeat, selectRun } from "./import-runs.store.ts";

export type ImportRunChanges = Calls<typeof importRunChanges>;

const startImport = transaction(
  "import-start",
  async (
    tx,
    clock,
    run: { kind: ImportKindName; fileName: string; summary: RunProgress; owner: string },
    by: Actor,
  ) => {
    const { kind, fileName, summary } = run;
    const { options, bytes } = summary;
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
  },
);

/** @param failure null if it succeeded */
const endImport = transaction("import-end", (tx, clock, id: number, failure: Message | null) =>
  finish(tx, id, clock.now(), failure),
);

/** Ends a run, and tells the operator. */
async function finish(
  tx: Transaction,
  id: number,
  now: number,
  failure: Message | null,
): Promise<void> {
  if (!(await endRun(tx, id, now, failure))) return;
  const run = await selectRun(tx, { id });
  if (run === undefined) return;
  const { kind, fileName: file, summary } = run;
  const { read, inserted, updated, rejected } = summary;
  const error = failure === null ? "" : inEnglish(failure);
  await tellOperator(tx, now, "import.finished", {
    import: { id, kind, file, read, inserted, updated, rejected, error },
  });
}

/**
 * Records a heartbeat for a process's runs, and ends those of processes that are gone.
 * @param gone numbers of the runs to end
 */
const importHeartbeat = transaction(
  "import-heartbeat",
  async (tx, clock, owner: string, gone: readonly number[]) => {
    const now = clock.now();
    await saveHeartbeat(tx, { owner, now });
    for (const id of gone) await finish(tx, id, now, INTERRUPTED);
  },
);

export const importRunChanges = { startImport, endImport, importHeartbeat };
