import { copyIfNode } from "../../db/cluster/cluster-transaction.ts";
import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Actor, type AuditEntry, recordChange } from "../audit/audit-log.ts";
import { type AuthSettings, authOf } from "./auth.ts";
import { requirePassword } from "./password-rules.ts";
import {
  deleteLinks,
  noteChosen,
  selectEmail,
  selectPersonByEmail,
  updatePerson,
} from "./people.store.ts";

export interface PasswordLink {
  email: string;
  isTrusted: boolean;
  change?: (AuditEntry & { by: Actor }) | undefined;
}

/**
 * Makes a token by which the person chooses a password, once; null where there is no such person.
 * @param input.isTrusted whether it goes to their mailbox, or is handed over by staff
 * @param input.change what is recorded, where somebody else makes the link
 */
export async function passwordLink(
  db: Database,
  clock: Clock,
  { settings, email, isTrusted, change }: { settings: AuthSettings } & PasswordLink,
): Promise<string | null> {
  const person = await selectPersonByEmail(db, email);
  if (person === undefined) return null;
  // Only the latest link works: somebody else may come upon an older mail.
  await inTransaction(db, clock, "password-link", async (tx) => {
    await deleteLinks(tx, person.id);
    await updatePerson(tx, person.id, { linkIsTrusted: isTrusted });
    if (change !== undefined) await recordChange(tx, clock, change.by, change);
  });
  const { auth, asked } = await authOf(db, clock, settings);
  const { promise, resolve } = Promise.withResolvers<string>();
  asked.onLink = resolve;
  try {
    await auth.api.requestPasswordReset({ body: { email } });
    return await promise;
  } finally {
    asked.onLink = null;
  }
}

/** Whether a link still opens: false where it was used or is too old. Looking does not use it up. */
export async function opensLink(
  db: Database,
  clock: Clock,
  input: { settings: AuthSettings; token: string },
): Promise<boolean> {
  return (await personOfLink(db, clock, input)) !== null;
}

/** The id of the person that a link is for; null where it was used or is too old. */
async function personOfLink(
  db: Database,
  clock: Clock,
  { settings, token }: { settings: AuthSettings; token: string },
): Promise<string | null> {
  const { auth } = await authOf(db, clock, settings);
  const { internalAdapter } = await auth.$context;
  const find = () => internalAdapter.findVerificationValue(`reset-password:${token}`);
  let link = await find();
  // A link that was just made, and mailed, by another node.
  if (link === null && (await copyIfNode(db, clock))) link = await find();
  return link && link.expiresAt.getTime() > clock.now() ? link.value : null;
}

/**
 * Sets a password by a link, and ends the person's sessions; false where the link was used or is too old.
 * @throws AppError `invalid` on `password`
 */
export async function choosePassword(
  db: Database,
  clock: Clock,
  { settings, token, password }: { settings: AuthSettings; token: string; password: string },
): Promise<boolean> {
  const { auth } = await authOf(db, clock, settings);
  const personId = await personOfLink(db, clock, { settings, token });
  if (personId === null) return false;
  requirePassword(password, (await selectEmail(db, personId)) ?? "");
  const answer = await auth.api.resetPassword({
    body: { token, newPassword: password },
    asResponse: true,
  });
  if (answer.ok) await inTransaction(db, clock, "password", (tx) => noteChosen(tx, personId));
  return answer.ok;
}
