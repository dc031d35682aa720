import { createHmac } from "node:crypto";
import type { Database, Transaction } from "../../db/database.ts";
import { copyNewest } from "../../db/shared-rows.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import { storageUnavailable } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Language } from "../../values/messages/messages.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import { selectMemberships } from "../accounts/accounts.store.ts";
import { isActive } from "../accounts/accounts.ts";
import { type Actor, recordChange } from "../audit/audit-log.ts";
import { type AuthSettings, authOf } from "./auth.ts";
import type { PersonLanguage, PersonNetwork } from "./people.store.ts";
import {
  deleteSessions,
  putLanguage,
  putNetwork,
  selectLanguage,
  selectPersonByEmail,
  selectSignedInAt,
} from "./people.store.ts";
import type { Person } from "./people.ts";

/**
 * Networks that a person has signed in from. There the person is not locked out while others guess the
 * password elsewhere. They are stored as keyed hashes, which do not reveal where people live.
 */

/** Days for which a network is known after the last sign-in, and the most per person: the latest. */
export const KNOWN_DAYS = 180;
export const KNOWN_MAX = 20;
const KNOWN_MS = KNOWN_DAYS * DAY_MS;

/** @param network such as `192.0.2.1` or `2001:db8:1:2::/64` */
export function networkHash(key: string, network: string): Buffer {
  return createHmac("sha256", key).update(network).digest();
}

/** An unknown address takes the same lookups, so that timing reveals nothing. */
export async function isKnownNetwork(
  db: Database,
  nowMs: number,
  { email, network }: { email: string; network: Buffer },
): Promise<boolean> {
  const person = await selectPersonByEmail(db, { email: email.toLowerCase() });
  const notedAt = await selectSignedInAt(db, { personId: person?.id ?? "", network });
  return notedAt !== null && notedAt > nowMs - KNOWN_MS;
}

/** Records that somebody signed in from a network; written at most once a day. */
export async function noteNetwork(db: Database, clock: Clock, place: PersonNetwork): Promise<void> {
  const nowMs = clock.now();
  const notedAt = await selectSignedInAt(db, place);
  if (notedAt !== null && nowMs - notedAt < DAY_MS) return;
  await inTransaction(db, clock, "known-network", (tx) =>
    putNetwork(tx, { ...place, signedInAt: nowMs }),
  );
}

/** Records the language that somebody reads pages in: mails to them are written in it. */
export async function noteLanguage(
  db: Database,
  clock: Clock,
  person: PersonLanguage,
): Promise<void> {
  if ((await selectLanguage(db, person)) === person.language) return;
  await inTransaction(db, clock, "language", (tx) => putLanguage(tx, person));
}

/** Signing in and out. Cookies are passed as the text of their headers. */

export interface SignedIn {
  person: Person;
  /** Id of the session, which form tokens are bound to. */
  sessionId: string;
  /** Cookies to set, if the session was extended. */
  setCookies: string[];
}

/**
 * Signs somebody in; null if the address or the password is wrong, without revealing which.
 * @param input.network hash of the network they come from, which is known from then on
 */
export async function signIn(
  db: Database,
  clock: Clock,
  input: {
    settings: AuthSettings;
    email: string;
    password: string;
    clientIp: string;
    network: Uint8Array;
    userAgent: string;
    language: Language;
  },
): Promise<{ setCookies: string[] } | null> {
  // Fetches a password that may just have been changed on another node.
  await copyNewest(db, clock);
  const auth = await authOf(db, clock, input.settings);
  const answer = await auth.api.signInEmail({
    body: { email: input.email, password: input.password },
    headers: new Headers({ "user-agent": input.userAgent, "x-forwarded-for": input.clientIp }),
    asResponse: true,
  });
  if (!answer.ok) return null;
  const { user } = (await answer.json()) as { user: { id: string } };
  // Somebody with the right password is signed in even if this cannot be recorded.
  const place = { personId: user.id, network: Buffer.from(input.network) };
  await noteNetwork(db, clock, place).catch(() => {});
  await noteLanguage(db, clock, input).catch(() => {});
  return { setCookies: answer.headers.getSetCookie() };
}

/** Recognizes a session's cookie among others. */
const HAS_SESSION = /\bkanalog\.session_token=/;

export async function signedIn(
  db: Database,
  clock: Clock,
  { settings, cookie }: { settings: AuthSettings; cookie: string },
): Promise<SignedIn | null> {
  const auth = await authOf(db, clock, settings);
  const find = (disableRefresh: boolean) =>
    auth.api.getSession({
      headers: new Headers({ cookie }),
      query: { disableRefresh },
      returnHeaders: true,
    });
  // If the storage accepts no writes, a session that cannot be extended remains valid all the same.
  const findOrRefuse = () =>
    find(false)
      .catch(() => find(true))
      .catch((cause) => {
        throw storageUnavailable(cause);
      });
  let found = await findOrRefuse();
  // They may have just signed in on another node.
  if (found.response === null && HAS_SESSION.test(cookie) && (await copyNewest(db, clock))) {
    found = await findOrRefuse();
  }
  const { headers, response } = found;
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
  clock: Clock,
  { settings, cookie }: { settings: AuthSettings; cookie: string },
): Promise<{ setCookies: string[] }> {
  const auth = await authOf(db, clock, settings);
  const answer = await auth.api.signOut({ headers: new Headers({ cookie }), asResponse: true });
  return { setCookies: answer.headers.getSetCookie() };
}

/**
 * Signs a person out everywhere; does nothing if there is no such person.
 * @param input.by null if this is part of another change, which is recorded itself
 */
export const endSessions = transaction(
  "sessions",
  async (tx, clock, { email, by }: { email: string; by: Actor | null }) => {
    const person = await selectPersonByEmail(tx, { email });
    if (person === undefined) return;
    const ended = await deleteSessions(tx, { personId: person.id });
    if (by !== null && ended > 0) {
      await recordChange(tx, clock, by, { action: "person.end-sessions", id: person.email });
    }
  },
);

/**
 * Signs out somebody just suspended, in the suspension's transaction, unless they are staff or may still act
 * in another organization.
 */
export async function endSessionsOfSuspended(tx: Transaction, email: string): Promise<void> {
  const person = await selectPersonByEmail(tx, { email });
  if (person === undefined || person.isStaff) return;
  if ((await selectMemberships(tx, { email })).some(isActive)) return;
  await deleteSessions(tx, { personId: person.id });
}
