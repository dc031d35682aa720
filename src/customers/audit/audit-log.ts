import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { insertEntry, selectEntries } from "./audit.store.ts";

/** Who makes a change. */
export interface Actor {
  /** E-mail address; empty for the command line. */
  person: string;
  /** Number of the API key by which they do it; null without one. */
  keyId: number | null;
}

/** Whoever may run commands on this machine. */
export const COMMAND_LINE: Actor = { person: "", keyId: null };

/** The actions that are recorded. */
export const AUDIT_ACTIONS = [
  "import.start",
  "job.run",
  "key.create",
  "key.revoke",
  "member.add",
  "member.link",
  "member.restore",
  "member.role",
  "member.suspend",
  "organization.archive",
  "organization.create",
  "organization.plan",
  "organization.restore",
  "person.end-sessions",
  "person.password",
  "person.password-link",
  "person.password-mail",
  "plan.set",
  "staff.add",
  "staff.remove",
  "webhook.change",
  "webhook.create",
  "webhook.delete",
  "webhook.disable",
  "webhook.enable",
  "webhook.resend",
  "webhook.rotate-secret",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** One change, by staff or by an organization's people. */
export interface AuditEntry {
  organizationId: number | null;
  action: AuditAction;
  /** The thing that was changed, as `key 3`. */
  target: string;
  /** Never a secret. */
  details?: Record<string, string | number | boolean | null> | undefined;
}

export interface AuditRecord extends Omit<AuditEntry, "action" | "details"> {
  id: number;
  at: number;
  /** As in `Actor`. */
  person: string;
  details: NonNullable<AuditEntry["details"]>;
  /** The action's name at the time: it may have another one by now. */
  action: string;
}

export interface AuditSelection {
  /** Number of an entry, before which others are selected; null: from the latest on. */
  before: number | null;
  limit: number;
  /** One organization's entries; null: all. */
  organizationId: number | null;
  /** One person's changes; null: everybody's. */
  person: string | null;
}

/** Notes a change, in the transaction that makes it: both are there, or neither. */
export function recordChange(db: Database, clock: Clock, by: Actor, entry: AuditEntry): void {
  const { person, keyId } = by;
  const details = { ...entry.details, ...(keyId !== null && { key: keyId }) };
  insertEntry(db, clock.now(), person, { ...entry, details });
}

export type AuditLog = ReturnType<typeof createAuditLog>;

/** Who changed what, when. */
export function createAuditLog(db: Database) {
  return {
    /** The latest first. */
    entries: (selection: AuditSelection): AuditRecord[] => selectEntries(db, selection),
  };
}
