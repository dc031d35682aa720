import type { AuditAction, AuditDetail, AuditTarget } from "../customers/audit/audit-log.ts";

/** Texts for the audit log's codes. */
export interface AuditWords {
  commandLine: string;
  actions: Record<AuditAction, string>;
  /** Texts for the kinds of changed things. */
  targets: Record<AuditTarget, string>;
  /** Names of details. */
  details: Record<AuditDetail, string>;
  /** Texts for values of details that have a fixed set of them. */
  values: Partial<Record<AuditDetail, Record<string, string>>>;
}
