import type { Database, Transaction } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MESSAGES } from "../../values/messages/messages.ts";
import { markDone } from "../idempotency/idempotent-requests.ts";
import type { RequestClaim } from "../idempotency/operator-requests.store.ts";
import { type auditLog, insertEntry, selectEntries } from "./audit.store.ts";

export interface Actor {
  /** E-mail address; empty for the command line. */
  person: string;
  /** Number of the API key with which the change was made; null if none was used. */
  keyId: number | null;
  /** The request of the operator's API that makes the change, if it may be repeated. */
  request?: RequestClaim | undefined;
  /** Abilities of its key; left out if it may do everything. */
  can?: readonly string[];
}

/** Anybody who can run commands on this machine. */
export const COMMAND_LINE: Actor = { person: "", keyId: null };

type Texts = (typeof MESSAGES)["en"]["audit"];

/** Recorded actions, such as `key.create`: those that have a sentence. */
export type AuditAction = keyof Texts["actions"];

/** Kinds of things that can be changed: what a change of staff changes is a person. */
export type AuditTarget = keyof Texts["targets"];

/** Details recorded beside the target of a change. Never a secret. */
export type AuditDetail = keyof Texts["details"];

export interface AuditEntry {
  /** The organization that it concerns, if it concerns one. */
  organizationId?: number | null | undefined;
  action: AuditAction;
  /** What was changed, of the action's kind: a number, an address, a name. */
  id: number | string;
  details?: { [Detail in AuditDetail]?: string | number | boolean | null } | undefined;
}

/** A recorded change, in the codes of the version that recorded it. */
export type AuditRecord = typeof auditLog.$inferSelect;

export interface AuditSelection {
  /** Only entries below this number; null to start with the latest. */
  before: number | null;
  limit: number;
  organizationId: number | null;
  person: string | null;
}

/** Records a change in the transaction that makes it, so that neither exists without the other. */
export async function recordChange(
  tx: Transaction,
  clock: Clock,
  { person, keyId, request }: Actor,
  entry: AuditEntry,
): Promise<void> {
  if (request !== undefined) await markDone(tx, request);
  const details = { ...entry.details, ...(keyId !== null && { key: keyId }) };
  await insertEntry(tx, clock.now(), person, { ...entry, details });
}

export type AuditLog = ReturnType<typeof createAuditLog>;

export function createAuditLog(db: Database) {
  return {
    /** Latest first. */
    entries: (selection: AuditSelection): Promise<AuditRecord[]> => selectEntries(db, selection),
  };
}
