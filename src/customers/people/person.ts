import type { AuditEntry } from "../audit/audit-log.ts";

/** Somebody who can sign in. */
export interface Person {
  id: string;
  name: string;
  email: string;
  isStaff: boolean;
  /** Whether they are known to own the address: if not, their inviter may have chosen the password. */
  isVerified: boolean;
}

/** An audit entry about a person, outside any organization. */
export function ofPerson(action: AuditEntry["action"], email: string): AuditEntry {
  return { organizationId: null, action, target: `person ${email}` };
}
