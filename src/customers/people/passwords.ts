import type { Database, Transaction } from "../../db/database.ts";
import { copyNewest } from "../../db/shared-rows.ts";
import { inTransaction } from "../../db/transaction.ts";
import { fieldError } from "../../errors.ts";
import { type Clock, systemClock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { type Actor, type AuditEntry, recordChange } from "../audit/audit-log.ts";
import { type AuthContext, type AuthSettings, authContextOf, authOf } from "./auth.ts";
import { passwordFault, requirePassword } from "./password-rules.ts";
import {
  deleteLinks,
  deleteSessions,
  hasPassword,
  recordChosenPassword,
  selectEmail,
  selectPersonByEmail,
  updatePerson,
} from "./people.store.ts";
import { requirePerson } from "./people.ts";
import { noteNetwork } from "./sessions.ts";

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
async function storePassword(
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

/** Validity of a link, also of one in an invitation, which is opened when people find the time. */
const LINK_MS = 3 * 24 * 60 * 60 * 1000;
const TOKEN_CHARACTERS = 24;

export interface PasswordLink {
  email: string;
  isTrusted: boolean;
  change?: (AuditEntry & { by: Actor }) | undefined;
}

/**
 * Creates a one-time token for choosing a password; null if there is no such person.
 * @param input.isTrusted whether it goes to their mailbox, or is handed over by staff
 * @param input.change the audit entry, if somebody else creates the link
 */
export async function passwordLink(
  db: Database,
  clock: Clock,
  { settings, email, isTrusted, change }: { settings: AuthSettings } & PasswordLink,
): Promise<string | null> {
  const person = await selectPersonByEmail(db, { email });
  if (person === undefined) return null;
  // Made before the transaction, which would otherwise hold the lock meanwhile.
  const { internalAdapter, generateId } = await authContextOf(db, clock, settings);
  const token = String(generateId({ model: "verification", size: TOKEN_CHARACTERS }));
  // By the machine's clock, which the library compares it with.
  const expiresAt = new Date(systemClock.now() + LINK_MS);
  await inTransaction(db, clock, "password-link", async (tx) => {
    // Only the latest link works, because somebody else may find an older mail.
    await deleteLinks(tx, { personId: person.id });
    await updatePerson(tx, person.id, { linkIsTrusted: isTrusted });
    if (change !== undefined) await recordChange(tx, clock, change.by, change);
    const identifier = identifierOf(token);
    await internalAdapter.createVerificationValue({ identifier, value: person.id, expiresAt });
  });
  return token;
}

/** Name under which the library looks for a link. */
const identifierOf = (token: string): string => `reset-password:${token}`;

/** Whether a link is still valid: false if it was used or has expired. Checking does not use it up. */
export async function opensLink(
  db: Database,
  clock: Clock,
  input: { settings: AuthSettings; token: string },
): Promise<boolean> {
  return (await personOfLink(db, clock, input)) !== null;
}

/** Id of the person that a link is for; null if it was used or has expired. */
async function personOfLink(
  db: Database,
  clock: Clock,
  { settings, token }: { settings: AuthSettings; token: string },
): Promise<string | null> {
  const { internalAdapter } = await authContextOf(db, clock, settings);
  const find = () => internalAdapter.findVerificationValue(identifierOf(token));
  let link = await find();
  // Another node may just have created and mailed the link.
  if (link === null && (await copyNewest(db, clock))) link = await find();
  return link && link.expiresAt.getTime() > clock.now() ? link.value : null;
}

/**
 * Sets a password by a link, and ends the person's sessions.
 * From then on the network is known, so that no guesses of strangers keep the person from signing in there.
 * @returns whose it is, and whether it is their first; null if the link was used or has expired
 * @throws AppError `invalid` on `password`
 */
export async function choosePassword(
  db: Database,
  clock: Clock,
  {
    settings,
    token,
    password,
    network,
  }: { settings: AuthSettings; token: string; password: string; network: Uint8Array },
): Promise<{ email: string; isFirst: boolean } | null> {
  const personId = await personOfLink(db, clock, { settings, token });
  if (personId === null) return null;
  const email = (await selectEmail(db, { personId })) ?? "";
  requirePassword(password, email);
  const context = await authContextOf(db, clock, settings);
  const hash = await context.password.hash(password);
  const chosen = await inTransaction(db, clock, "password", async (tx) => {
    // Another request may have used the link, or replaced it, while this one was hashing.
    if (!(await context.internalAdapter.findVerificationValue(identifierOf(token)))) return null;
    const isFirst = !(await hasPassword(tx, { personId }));
    await storePassword(tx, context, personId, hash);
    await recordChosenPassword(tx, { personId });
    return { email, isFirst };
  });
  if (chosen !== null) await noteNetwork(db, clock, { personId, network: Buffer.from(network) });
  return chosen;
}

export function passwordAddress(baseAddress: string, token: string): string {
  return `${baseAddress}/account/choose-password/?token=${token}`;
}
