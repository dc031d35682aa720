import { type Database, statement } from "../../db/database.ts";
import type { AuditEntry, AuditRecord, AuditSelection } from "./audit-log.ts";

export function insertEntry(db: Database, at: number, person: string, entry: AuditEntry): void {
  statement(
    db,
    `INSERT INTO audit_log (at, person, organization_id, action, target, details)
     VALUES (?, ?, ?, ?, ?, ?)`,
  ).run(
    at,
    person,
    entry.organizationId,
    entry.action,
    entry.target,
    JSON.stringify(entry.details ?? {}),
  );
}

/** The latest first. */
export function selectEntries(
  db: Database,
  { before, limit, organizationId, person }: AuditSelection,
): AuditRecord[] {
  const conditions = [
    "id < @before",
    ...(organizationId === null ? [] : ["organization_id = @organizationId"]),
    ...(person === null ? [] : ["person = @person COLLATE NOCASE"]),
  ];
  return statement<Omit<AuditRecord, "details"> & { details: string }>(
    db,
    `SELECT id, at, person, organization_id AS organizationId, action, target, details
     FROM audit_log WHERE ${conditions.join(" AND ")} ORDER BY id DESC LIMIT @limit`,
  )
    .all({ before: before ?? Number.MAX_SAFE_INTEGER, limit, organizationId, person })
    .map((row) => ({ ...row, details: JSON.parse(row.details) as AuditRecord["details"] }));
}
