import type { Database, Transaction } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { AppError, fieldError, notFound, storageUnavailable } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { requiredEmail } from "../accounts/accounts.ts";
import { type Actor, type AuditEntry, recordChange } from "../audit/audit-log.ts";
import { type AuthSettings, authOf } from "./auth.ts";
import { noteNetwork } from "./known-networks.ts";
import { passwordFault, requirePassword } from "./password-rules.ts";
import {
  anyPerson,
  countStaff,
  deleteLinks,
  deletePassword,
  deleteSessions,
  hasPassword,
  hasPlace,
  selectEmail,
  selectPersonByEmail,
  setLinkTrust,
  setStaff,
  setVerified,
} from "./people.store.ts";
import type { Person } from "./person.ts";

/**
 * Operations on people, each on a connection that writes. Cookies go in and out as the texts of the
 * headers.
 */

export type { PersonAccount } from "./people.store.ts";

/** Who is signed in, by a cookie. */
export interface SignedIn {
  person: Person;
  /** Number of the session, to which a form's token is bound. */
  sessionId: string;
  /** Cookies to set, where the session was prolonged. */
  setCookies: string[];
}

type Context = { settings: AuthSettings };

/**
 * Signs somebody in; null where the address or the password is wrong, without telling which.
 * @param input.network where they come from, by its hash: known from then on
 */
export async function signIn(
  db: Database,
  clock: Clock,
  input: Context & {
    email: string;
    password: string;
    clientIp: string;
    network: Uint8Array;
    userAgent: string;
  },
): Promise<{ setCookies: string[] } | null> {
  const { auth } = await authOf(db, input.settings);
  const answer = await auth.api.signInEmail({
    body: { email: input.email, password: input.password },
    headers: new Headers({ "user-agent": input.userAgent, "x-forwarded-for": input.clientIp }),
    asResponse: true,
  });
  if (!answer.ok) return null;
  const { user } = (await answer.json()) as { user: { id: string } };
  // Whoever has the password is signed in, even if that cannot be noted.
  await noteNetwork(db, clock, {
    personId: user.id,
    network: Buffer.from(input.network),
  }).catch(() => {});
  return { setCookies: answer.headers.getSetCookie() };
}

export async function signedIn(
  db: Database,
  _clock: Clock,
  { settings, cookie }: Context & { cookie: string },
): Promise<SignedIn | null> {
  const { auth } = await authOf(db, settings);
  const find = (disableRefresh: boolean) =>
    auth.api.getSession({
      headers: new Headers({ cookie }),
      query: { disableRefresh },
      returnHeaders: true,
    });
  // Where the storage takes no writes, a session that cannot be prolonged holds all the same.
  const { headers, response } = await find(false)
    .catch(() => find(true))
    .catch((cause) => {
      throw storageUnavailable(cause);
    });
  if (response === null) return null;
  const { id, name, email, isStaff, emailVerified } = response.user;
  return {
    person: { id, name, email, isStaff: isStaff === true, isVerified: emailVerified },
    sessionId: response.session.id,
    setCookies: headers.getSetCookie(),
  };
}

export async function signOut(
  db: Database,
  _clock: Clock,
  { settings, cookie }: Context & { cookie: string },
): Promise<{ setCookies: string[] }> {
  const { auth } = await authOf(db, settings);
  const answer = await auth.api.signOut({ headers: new Headers({ cookie }), asResponse: true });
  return { setCookies: answer.headers.getSetCookie() };
}

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
  { settings, email, isTrusted, change }: Context & PasswordLink,
): Promise<string | null> {
  const person = selectPersonByEmail(db, email);
  if (person === undefined) return null;
  // Only the latest link works: somebody else may come upon an older mail.
  await inTransaction(db, clock, "password-link", async (tx) => {
    deleteLinks(db, person.id);
    setLinkTrust(db, person.id, isTrusted);
    if (change !== undefined) await recordChange(tx, clock, change.by, change);
  });
  const { auth, asked } = await authOf(db, settings);
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
  input: Context & { token: string },
): Promise<boolean> {
  return (await personOfLink(db, clock, input)) !== null;
}

/** The id of the person that a link is for; null where it was used or is too old. */
async function personOfLink(
  db: Database,
  clock: Clock,
  { settings, token }: Context & { token: string },
): Promise<string | null> {
  const { auth } = await authOf(db, settings);
  const { internalAdapter } = await auth.$context;
  const link = await internalAdapter.findVerificationValue(`reset-password:${token}`);
  return link && link.expiresAt.getTime() > clock.now() ? link.value : null;
}

/**
 * Sets a password by a link, and ends the person's sessions; false where the link was used or is too old.
 * @throws AppError `invalid` on `password`
 */
export async function choosePassword(
  db: Database,
  clock: Clock,
  { settings, token, password }: Context & { token: string; password: string },
): Promise<boolean> {
  const { auth } = await authOf(db, settings);
  const personId = await personOfLink(db, clock, { settings, token });
  if (personId === null) return false;
  requirePassword(password, selectEmail(db, personId) ?? "");
  const answer = await auth.api.resetPassword({
    body: { token, newPassword: password },
    asResponse: true,
  });
  return answer.ok;
}

/**
 * Changes the password, and ends the person's other sessions.
 * @param input.email of the person who is signed in by the cookie
 * @throws AppError `invalid` on `password`, the present one, and on `newPassword`
 */
export async function changePassword(
  db: Database,
  clock: Clock,
  input: Context & { cookie: string; email: string; password: string; newPassword: string },
): Promise<{ setCookies: string[] }> {
  const { auth } = await authOf(db, input.settings);
  const wrongPresent = { password: [message("wrongPassword")] };
  const newFault = passwordFault(input.newPassword, input.email);
  if (newFault !== null) {
    const present = await auth.api.verifyPassword({
      body: { password: input.password },
      headers: new Headers({ cookie: input.cookie }),
      asResponse: true,
    });
    throw fieldError({ ...(!present.ok && wrongPresent), newPassword: [newFault] });
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
  if (!answer.ok) throw fieldError(wrongPresent);
  const { user } = (await answer.json()) as { user: { id: string } };
  await inTransaction(db, clock, "password", () => deleteLinks(db, user.id));
  return { setCookies: answer.headers.getSetCookie() };
}

/** A person to be invited. */
export interface EnsuredPerson {
  person: Person;
  hasPassword: boolean;
}

/**
 * Finds the person with this address, or makes one, without a password.
 * @throws AppError `invalid` on `email`
 */
export async function ensurePerson(
  db: Database,
  _clock: Clock,
  { settings, email, name }: Context & { email: string; name: string },
): Promise<EnsuredPerson> {
  const known = selectPersonByEmail(db, email);
  if (known !== undefined) return { person: known, hasPassword: hasPassword(db, known.id) };
  requiredEmail(email);
  const { internalAdapter } = await (await authOf(db, settings)).auth.$context;
  const made = { email: email.toLowerCase(), name: name === "" ? email : name };
  const { id } = await internalAdapter.createUser({ ...made, emailVerified: false });
  return { person: { id, ...made, isStaff: false, isVerified: false }, hasPassword: false };
}

/**
 * Called before staff gives somebody more rights. Takes the password away from a person who is not
 * verified, since somebody else may have chosen it; staff then hands over a new link. Does nothing
 * where there is no such person.
 * @returns whether the person still has a password
 */
export function distrust(db: Database, clock: Clock, email: string): Promise<boolean> {
  return inTransaction(db, clock, "person", () => {
    const person = selectPersonByEmail(db, email);
    if (person === undefined) return false;
    if (!person.isVerified) deletePassword(db, person.id);
    return hasPassword(db, person.id);
  });
}

/**
 * Makes the first person of an appliance, who is staff.
 * @throws AppError `invalid`; `not_found` where there is somebody already
 */
export async function setUpPerson(
  db: Database,
  clock: Clock,
  input: Context & { email: string; name: string; password: string },
): Promise<Person> {
  requirePassword(input.password, input.email);
  if (anyPerson(db)) throw notFound("setUpPage");
  const { person } = await ensurePerson(db, clock, input);
  await putPassword(db, clock, input);
  const by = { person: person.email, keyId: null };
  await markStaff(db, clock, { email: input.email, isStaff: true, by });
  return { ...person, isStaff: true, isVerified: true };
}

type NewPassword = Context & { email: string; password: string };

/** Gives a person a password, and ends their sessions. @throws AppError `invalid`, `not_found` */
export function setPassword(
  db: Database,
  clock: Clock,
  { by, ...input }: NewPassword & { by: Actor },
): Promise<void> {
  return putPassword(db, clock, input, (tx) =>
    recordChange(tx, clock, by, ofPerson("person.password", input.email)),
  );
}

async function putPassword(
  db: Database,
  clock: Clock,
  { settings, email, password }: NewPassword,
  record: (tx: Transaction) => Promise<void> = async () => {},
): Promise<void> {
  requirePassword(password, email);
  const person = requirePerson(db, email);
  const context = await (await authOf(db, settings)).auth.$context;
  const hash = await context.password.hash(password);
  if (hasPassword(db, person.id)) await context.internalAdapter.updatePassword(person.id, hash);
  else {
    await context.internalAdapter.createAccount({
      userId: person.id,
      accountId: person.id,
      providerId: "credential",
      password: hash,
    });
  }
  await inTransaction(db, clock, "password", async (tx) => {
    setVerified(db, person.id);
    deleteLinks(db, person.id);
    deleteSessions(db, person.id);
    await record(tx);
  });
}

/** @throws AppError `not_found`; `conflict` where nobody would be staff any more */
export function markStaff(
  db: Database,
  clock: Clock,
  { email, isStaff, by }: { email: string; isStaff: boolean; by: Actor },
): Promise<void> {
  return inTransaction(db, clock, "person", async (tx) => {
    const person = requirePerson(db, email);
    if (person.isStaff === isStaff) return;
    if (person.isStaff && !isStaff && countStaff(db) === 1) {
      throw new AppError("conflict", message("lastStaff", { email }));
    }
    setStaff(db, person.id, isStaff);
    const action = isStaff ? "staff.add" : "staff.remove";
    await recordChange(tx, clock, by, ofPerson(action, person.email));
  });
}

/**
 * Signs a person out everywhere; does nothing where there is no such person.
 * @param input.by null where it is part of another change, which is recorded itself
 */
export function endSessions(
  db: Database,
  clock: Clock,
  { email, by }: { email: string; by: Actor | null },
): Promise<void> {
  return inTransaction(db, clock, "sessions", async (tx) => {
    const person = selectPersonByEmail(db, email);
    if (person === undefined) return;
    const ended = deleteSessions(db, person.id);
    if (by !== null && ended > 0) {
      await recordChange(tx, clock, by, ofPerson("person.end-sessions", person.email));
    }
  });
}

/** Called after a suspension: signs the person out who is not staff and may act nowhere any more. */
export function endSessionsOfSuspended(db: Database, clock: Clock, email: string): Promise<void> {
  return inTransaction(db, clock, "sessions", () => {
    const person = selectPersonByEmail(db, email);
    if (person === undefined || person.isStaff || hasPlace(db, email)) return;
    deleteSessions(db, person.id);
  });
}

/** An audit entry about a person, of no organization. */
export function ofPerson(action: AuditEntry["action"], email: string): AuditEntry {
  return { organizationId: null, action, target: `person ${email}` };
}

function requirePerson(db: Database, email: string): Person {
  const person = selectPersonByEmail(db, email);
  if (person === undefined) throw notFound("person", email);
  return person;
}
