import { and, asc, count, eq, exists, gt, isNotNull, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { change, eqParam, param, query } from "../../db/query.ts";
import { credentials, people, sessions, verifications } from "./people.table.ts";
import type { Person } from "./person.ts";

/** A person's account, as staff see it. */
export interface PersonAccount extends Person {
  hasPassword: boolean;
  /** Number of active sessions. */
  sessions: number;
}

const personColumns = {
  id: people.id,
  name: people.name,
  email: people.email,
  isStaff: people.isStaff,
  isVerified: people.isVerified,
};

const personByEmail = query((db) =>
  db.select(personColumns).from(people).where(eqParam(people.email, "email")),
);

export function selectPersonByEmail(db: Database, email: string): Promise<Person | undefined> {
  return personByEmail(db).get({ email });
}

const emailById = query((db) =>
  db.select({ email: people.email }).from(people).where(eqParam(people.id, "personId")),
);

export async function selectEmail(db: Database, personId: string): Promise<string | undefined> {
  return (await emailById(db).get({ personId }))?.email;
}

const accounts = query((db) => {
  const passwords = db
    .select({ id: credentials.id })
    .from(credentials)
    .where(and(eq(credentials.personId, people.id), isNotNull(credentials.password)));
  const open = db
    .select({ sessions: count() })
    .from(sessions)
    .where(and(eq(sessions.personId, people.id), gt(sessions.expiresAt, param("now"))));
  return db
    .select({
      ...personColumns,
      hasPassword: sql`${exists(passwords)}`.mapWith(Boolean),
      sessions: sql`${open}`.mapWith(Number),
    })
    .from(people)
    .orderBy(asc(people.email));
});

export function selectPeople(db: Database, nowMs: number): Promise<PersonAccount[]> {
  return accounts(db).all({ now: new Date(nowMs).toISOString() });
}

const staffEmails = query((db) =>
  db
    .select({ email: people.email })
    .from(people)
    .where(eq(people.isStaff, true))
    .orderBy(asc(people.email)),
);

export async function selectStaffEmails(db: Database): Promise<string[]> {
  return (await staffEmails(db).all()).map(({ email }) => email);
}

const firstPassword = query((db) =>
  db
    .select({ id: credentials.id })
    .from(credentials)
    .where(isNotNull(credentials.password))
    .limit(1),
);

/** Whether anybody has chosen a password, and can therefore sign in. */
export async function anyPassword(db: Database): Promise<boolean> {
  return (await firstPassword(db).get()) !== undefined;
}

const passwordOf = query((db) =>
  db
    .select({ id: credentials.id })
    .from(credentials)
    .where(and(eqParam(credentials.personId, "personId"), isNotNull(credentials.password))),
);

/** Whether the person has chosen a password. */
export async function hasPassword(db: Database, personId: string): Promise<boolean> {
  return (await passwordOf(db).get({ personId })) !== undefined;
}

export async function updatePerson(
  tx: Transaction,
  personId: string,
  values: Partial<Pick<typeof people.$inferSelect, "isStaff" | "isVerified" | "linkIsTrusted">>,
): Promise<void> {
  await tx.builders.update(people).set(values).where(eq(people.id, personId));
}

const verifyByLink = change((db) =>
  db
    .update(people)
    .set({ isVerified: sql`${people.linkIsTrusted}`, linkIsTrusted: false })
    .where(eqParam(people.id, "personId")),
);

/** Records that a password was chosen by the latest link, which verifies the person if it was trusted. */
export async function recordChosenPassword(tx: Transaction, personId: string): Promise<void> {
  await verifyByLink(tx).run({ personId });
}

const removeLinks = change((db) =>
  db.delete(verifications).where(eqParam(verifications.value, "personId")),
);

/** Removes the person's links for choosing a password. */
export async function deleteLinks(tx: Transaction, personId: string): Promise<void> {
  await removeLinks(tx).run({ personId });
}

const removePassword = change((db) =>
  db.delete(credentials).where(eqParam(credentials.personId, "personId")),
);

/**
 * Removes the password, and ends sessions and links: nobody can sign in as the person until they choose a
 * password by a new link.
 */
export async function deletePassword(tx: Transaction, personId: string): Promise<void> {
  await removePassword(tx).run({ personId });
  await deleteLinks(tx, personId);
  await deleteSessions(tx, personId);
}

const removeSessions = change((db) =>
  db.delete(sessions).where(eqParam(sessions.personId, "personId")),
);

/** Ends the person's sessions. @returns how many there were */
export async function deleteSessions(tx: Transaction, personId: string): Promise<number> {
  return (await removeSessions(tx).run({ personId })).changes;
}
