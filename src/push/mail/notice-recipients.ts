import { selectMembers } from "../../customers/accounts/accounts.store.ts";
import { selectStaffEmails } from "../../customers/people/people.store.ts";
import type { Transaction } from "../../db/database.ts";
import type { Message } from "../../ports/mail.ts";
import { queueMail } from "./mails.store.ts";

/**
 * Queues a mail to an organization's owners and administrators, unless suspended, in the caller's
 * transaction. Each gets a message of their own: if a server refuses one recipient, the others must not get
 * theirs again.
 */
export async function mailManagers(
  tx: Transaction,
  nowMs: number,
  organizationId: number,
  mail: Omit<Message, "to">,
): Promise<void> {
  for (const { email, role, suspendedAt } of await selectMembers(tx, { organizationId })) {
    if (role === "member" || suspendedAt !== null) continue;
    await queueMail(tx, nowMs, { to: [email], ...mail });
  }
}

/** Queues a mail to each of the operator's staff. @returns whether there is anybody */
export async function mailStaff(
  tx: Transaction,
  nowMs: number,
  mail: Omit<Message, "to">,
): Promise<boolean> {
  const emails = await selectStaffEmails(tx);
  for (const email of emails) await queueMail(tx, nowMs, { to: [email], ...mail });
  return emails.length > 0;
}
