import { type Database, statement } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../ports/clock.ts";

/** One change, by staff or by an organization's people. */
export interface AuditEntry {
  /** E-mail address of who did it. */
  person: string;
  organizationId: number | null;
  /** Such as `key.create`. */
  action: string;
  /** Such as `key 3`. */
  target: string;
  /** Never a secret. */
  details: Record<string, string | number | boolean | null>;
}

export type AuditRecord = AuditEntry & { id: number; at: number };

export interface AuditSelection {
  /** Number of an entry; null: from the latest on. */
  before: number | null;
  limit: number;
  organizationId?: number | null;
}

export type AuditLog = ReturnType<typeof createAuditLog>;

/** Who changed what, when. */
export function createAuditLog(db: Database, clock: Clock) {
  return {
    record(entry: AuditEntry): Promise<void> {
      return inTransaction(db, clock, () => {
        statement(
          db,
          `INSERT INTO audit_log (at, person, organization_id, action, target, details)
           VALUES (?, ?, ?, ?, ?, ?)`,
        ).run(
          clock.now(),
          entry.person,
          entry.organizationId,
          entry.action,
          entry.target,
          JSON.stringify(entry.details),
        );
      });
    },

    /** The latest first, before an entry; of one organization, or of all. */
    entries({ before, limit, organizationId = null }: AuditSelection): AuditRecord[] {
      const ofOne = organizationId === null ? "" : "organization_id = @organizationId AND";
      return statement<Omit<AuditRecord, "details"> & { details: string }>(
        db,
        `SELECT id, at, person, organization_id AS organizationId, action, target, details
         FROM audit_log WHERE ${ofOne} id < @before ORDER BY id DESC LIMIT @limit`,
      )
        .all({ before: before ?? Number.MAX_SAFE_INTEGER, limit, organizationId })
        .map((row) => ({ ...row, details: JSON.parse(row.details) as AuditRecord["details"] }));
    },
  };
}
