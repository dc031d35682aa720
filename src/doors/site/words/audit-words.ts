import type { AuditAction, AuditDetail, AuditTarget } from "../../../customers/audit/audit-log.ts";

/** The words for what the audit log records, by its codes. */
export interface AuditWords {
  commandLine: string;
  actions: Record<AuditAction, string>;
  /** Words for the changed thing, by the word before its number. */
  targets: Record<AuditTarget, string>;
  /** Names of details. */
  details: Record<AuditDetail, string>;
  /** Values that are one of a few, by the detail's name. */
  values: Partial<Record<AuditDetail, Record<string, string>>>;
}
