import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import { transaction } from "../../db/transaction.ts";
import type { ExportWish } from "./export-selection.ts";

/** Recorded before the first row is read. */
export const noteExport = transaction(
  "export-start",
  (tx, clock, { kind, format, from, to, channel }: ExportWish, by: Actor) =>
    recordChange(tx, clock, by, {
      action: "export.start",
      id: kind,
      details: {
        format,
        ...(from !== "" && { from }),
        ...(to !== "" && { to }),
        ...(channel !== "" && { channel }),
      },
    }),
);
