import type { Database, Transaction } from "../../db/database.ts";
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
export type AuditAction =
  | "alert.change"
  | "alert.create"
  | "alert.delete"
  | "channel.change"
  | "channel.delete"
  | "channel.hide"
  | "channel.merge"
  | "channel.unhide"
  | "export.start"
  | "import.start"
  | "job.run"
  | "key.create"
  | "key.revoke"
  | "member.add"
  | "member.link"
  | "member.hand-over"
  | "member.restore"
  | "member.role"
  | "member.suspend"
  | "organization.archive"
  | "organization.create"
  | "organization.plan"
  | "organization.rename"
  | "organization.restore"
  | "person.end-sessions"
  | "person.password"
  | "person.password-link"
  | "person.password-mail"
  | "plan.set"
  | "post.delete"
  | "sample.remove"
  | "source.add"
  | "source.pause"
  | "source.pushes-off"
  | "source.pushes-on"
  | "source.remove"
  | "source.resume"
  | "source.run"
  | "staff.add"
  | "staff.remove"
  | "webhook.change"
  | "webhook.create"
  | "webhook.delete"
  | "webhook.disable"
  | "webhook.enable"
  | "webhook.resend"
  | "webhook.rotate-secret";

/** The kinds of things that are changed. */
export type AuditTarget =
  | "alert"
  | "channel"
  | "export"
  | "import"
  | "job"
  | "key"
  | "member"
  | "organization"
  | "person"
  | "plan"
  | "post"
  | "sample"
  | "source"
  | "webhook";

/** Details that are recorded of a change beside its target. Never a secret. */
export type AuditDetail =
  | "access"
  | "alerts"
  | "before"
  | "bytes"
  | "channel"
  | "channels"
  | "delivery"
  | "dryRun"
  | "email"
  | "ends"
  | "fields"
  | "file"
  | "format"
  | "from"
  | "host"
  | "into"
  | "key"
  | "kind"
  | "member"
  | "name"
  | "overlapMs"
  | "plan"
  | "prefix"
  | "reason"
  | "replace"
  | "requestsPerPeriod"
  | "requestsPerSecond"
  | "role"
  | "to"
  | "webhook"
  | "webhookChannels"
  | "webhooks";

/** One change, by staff or by an organization's people. */
export interface AuditEntry {
  organizationId: number | null;
  action: AuditAction;
  /** The thing that was changed, as `key 3`. */
  target: `${AuditTarget} ${string}`;
  details?: { [Detail in AuditDetail]?: string | number | boolean | null } | undefined;
}

/** A change as it was recorded, in the codes of that version. */
export interface AuditRecord {
  id: number;
  at: number;
  /** As in `Actor`. */
  person: string;
  organizationId: number | null;
  action: string;
  target: string;
  details: Record<string, string | number | boolean | null>;
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
export async function recordChange(
  tx: Transaction,
  clock: Clock,
  { person, keyId }: Actor,
  entry: AuditEntry,
): Promise<void> {
  const details = { ...entry.details, ...(keyId !== null && { key: keyId }) };
  await insertEntry(tx, clock.now(), person, { ...entry, details });
}

export type AuditLog = ReturnType<typeof createAuditLog>;

/** Who changed what, when. */
export function createAuditLog(db: Database) {
  return {
    /** The latest first. */
    entries: (selection: AuditSelection): Promise<AuditRecord[]> => selectEntries(db, selection),
  };
}
