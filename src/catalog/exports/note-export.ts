import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ExportWish } from "./export-selection.ts";

/** Records in the audit log that somebody downloads an export, before its first row is read. */
export function noteExport(
  db: Database,
  clock: Clock,
  { kind, format, from, to, channel }: ExportWish,
  by: Actor,
): Promise<void> {
  return inTransaction(db, clock, "export-start", (tx) =>
    recordChange(tx, clock, by, {
      organizationId: null,
      action: "export.start",
      target: `export ${kind}`,
      details: {
        format,
        ...(from !== "" && { from }),
        ...(to !== "" && { to }),
        ...(channel !== "" && { channel }),
      },
    }),
  );
}
