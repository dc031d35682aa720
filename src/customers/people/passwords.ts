import type { Database, Transaction } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { fieldError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { type Actor, recordChange } from "../audit/audit-log.ts";
import { type AuthContext, type AuthSettings, authContextOf, authOf } from "./auth.ts";
import { passwordFault, requirePassword } from "./password-rules.ts";
import { deleteLinks, deleteSessions, hasPassword, updatePerson } from "./people.store.ts";
import { requirePerson } from "./people.ts";

/**
 * Changes the password and ends the person's other sessions.
 * @param input.email address of the person whom the cookie identifies
 * @throws AppError `invalid` on `password`, the current one, and on `newPassword`
 */
export async function changePassword(
  db: Database,
  clock: Clock,
  input: {
    settings: AuthSettings;
    cookie: string;
    email: string;
    password: string;
    newPassword: string;
  },
): Promise<{ setCookies: string[] }> {
  const auth = await authOf(db, clock, input.settings);
  const wrongCurrent = { password: [message("wrongPassword")] };
  const newFault = passwordFault(input.newPassword, input.email);
  if (newFault !== null) {
    const current = await auth.api.verifyPassword({
      body: { password: input.password },
      headers: new Headers({ cookie: input.cookie }),
      asResponse: true,
    });
    throw fieldError({ ...(!current.ok && wrongCurrent), newPassword: [newFault] });
  }
  const answer = await auth.api.changePassword({
    body: {
      currentPassword: input.password,
      newPassword: input.newPassword,
      revokeOtherSessions: true,
    },
    headers: new Headers({ cookie: input.cookie }),
    asResponse: true,
  });
  if (!answer.ok) throw fieldError(wrongCurrent);
  const { user } = (await answer.json()) as { user: { id: string } };
  await inTransaction(db, clock, "password", (tx) => deleteLinks(tx, { personId: user.id }));
  return { setCookies: answer.headers.getSetCookie() };
}

/**
 * Sets a person's password and ends their sessions.
 * @param input.by null if this is part of another change, which is recorded itself
 * @throws AppError `invalid`, `not_found`
 */
export async function setPassword(
  db: Database,
  clock: Clock,
  input: { settings: AuthSettings; email: string; password: string; by: Actor | null },
): Promise<void> {
  const { settings, email, password, by } = input;
  requirePassword(password, email);
  const person = await requirePerson(db, email);
  const context = await authContextOf(db, clock, settings);
  const hash = await context.password.hash(password);
  await inTransaction(db, clock, "password", async (tx) => {
    await storePassword(tx, context, person.id, hash);
    await updatePerson(tx, person.id, { isVerified: true });
    if (by !== null) await recordChange(tx, clock, by, { action: "person.password", id: email });
  });
}

/** Stores a person's password, and ends their links and sessions, in the caller's transaction. */
export async function storePassword(
  tx: Transaction,
  { internalAdapter }: AuthContext,
  personId: string,
  hash: string,
): Promise<void> {
  if (await hasPassword(tx, { personId })) await internalAdapter.updatePassword(personId, hash);
  else {
    const account = { userId: personId, accountId: personId, providerId: "credential" };
    await internalAdapter.createAccount({ ...account, password: hash });
  }
  await deleteLinks(tx, { personId });
  await deleteSessions(tx, { personId });
}
