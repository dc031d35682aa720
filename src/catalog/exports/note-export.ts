import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import { transaction } from "../../db/transaction.ts";
import type { ExportWish } from "./export-selection.ts";

/** Records in the audit log that somebody downloads an export, before its first row is read. */
export const noteExport = transaction(
  "export-start",
  (tx, clock, { kind, format, from, to, channel }: ExportWish, by: Actor) =>
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
