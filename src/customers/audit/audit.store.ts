import { and, desc, eq, lt, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database, Transaction } from "../../db/database.ts";
import { change } from "../../db/statement.ts";
import type { AuditEntry, AuditRecord, AuditSelection } from "./audit-log.ts";

type Details = Record<string, string | number | boolean | null>;

export const auditLog = sqliteTable("audit_log", {
  id: integer("id").primaryKey(),
  at: integer("at").notNull(),
  /** As in `Actor`. */
  person: text("person").notNull(),
  organizationId: integer("organization_id"),
  action: text("action").notNull(),
  target: text("target").notNull(),
  details: text("details", { mode: "json" }).$type<Details>().notNull(),
});

const add = change(
  (db, { at, person, organizationId, action, target, details }: typeof auditLog.$inferInsert) =>
    db.insert(auditLog).values({ at, person, organizationId, action, target, details }),
).run;

export async function insertEntry(
  tx: Transaction,
  at: number,
  person: string,
  entry: AuditEntry,
): Promise<void> {
  const { organizationId = null, action, id, details = {} } = entry;
  const [kind = ""] = action.split(".");
  const target = `${kind === "staff" ? "person" : kind} ${id}`;
  await add(tx, { at, person, organizationId, action, target, details });
}

/** Latest first. */
export async function selectEntries(
  db: Database,
  { before, limit, organizationId, person }: AuditSelection,
): Promise<AuditRecord[]> {
  const conditions = and(
    lt(auditLog.id, before ?? Number.MAX_SAFE_INTEGER),
    organizationId === null ? undefined : eq(auditLog.organizationId, organizationId),
    person === null ? undefined : sql`${auditLog.person} = ${person} COLLATE NOCASE`,
  );
  return db.builders
    .select()
    .from(auditLog)
    .where(conditions)
    .orderBy(desc(auditLog.id))
    .limit(limit);
}
