import { and, asc, count, eq, exists, gt, isNotNull, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { change, query } from "../../db/query.ts";
import { credentials, knownNetworks, people, sessions, verifications } from "./people.table.ts";
import type { Person } from "./people.ts";

/** A person's account, as staff see it. */
export interface PersonAccount extends Person {
  hasPassword: boolean;
  sessions: number;
}

const personColumns = {
  id: people.id,
  name: people.name,
  email: people.email,
  isStaff: people.isStaff,
  isVerified: people.isVerified,
};

export const selectPersonByEmail = query((db, { email }: { email: string }) =>
  db.select(personColumns).from(people).where(eq(people.email, email)),
).one;

export const selectEmail = query((db, { personId }: { personId: string }) =>
  db.select({ email: people.email }).from(people).where(eq(people.id, personId)),
).value;

const accounts = query((db, { now }: { now: string }) => {
  const passwords = db
    .select({ id: credentials.id })
    .from(credentials)
    .where(and(eq(credentials.personId, people.id), isNotNull(credentials.password)));
  const open = db
    .select({ sessions: count() })
    .from(sessions)
    .where(and(eq(sessions.personId, people.id), gt(sessions.expiresAt, now)));
  return db
    .select({
      ...personColumns,
      hasPassword: sql`${exists(passwords)}`.mapWith(Boolean),
      sessions: sql`${open}`.mapWith(Number),
    })
    .from(people)
    .orderBy(asc(people.email));
}).all;

export function selectPeople(db: Database, nowMs: number): PersonAccount[] {
  return accounts(db, { now: new Date(nowMs).toISOString() });
}

export const selectStaffEmails = query((db) =>
  db
    .select({ email: people.email })
    .from(people)
    .where(eq(people.isStaff, true))
    .orderBy(asc(people.email)),
).values;

export const anyPassword = query((db) =>
  db
    .select({ id: credentials.id })
    .from(credentials)
    .where(isNotNull(credentials.password))
    .limit(1),
).any;

export const hasPassword = query((db, { personId }: { personId: string }) =>
  db
    .select({ id: credentials.id })
    .from(credentials)
    .where(and(eq(credentials.personId, personId), isNotNull(credentials.password))),
).any;

export async function updatePerson(
  tx: Transaction,
  personId: string,
  values: Partial<Pick<typeof people.$inferSelect, "isStaff" | "isVerified" | "linkIsTrusted">>,
): Promise<void> {
  await tx.builders.update(people).set(values).where(eq(people.id, personId));
}

/** Records that a password was chosen by the latest link, which verifies the person if it was trusted. */
export const recordChosenPassword = change((db, { personId }: { personId: string }) =>
  db
    .update(people)
    .set({ isVerified: sql`${people.linkIsTrusted}`, linkIsTrusted: false })
    .where(eq(people.id, personId)),
).run;

export const deleteLinks = change((db, { personId }: { personId: string }) =>
  db.delete(verifications).where(eq(verifications.value, personId)),
).run;

const removePassword = change((db, { personId }: { personId: string }) =>
  db.delete(credentials).where(eq(credentials.personId, personId)),
).run;

/**
 * Removes the password, and ends sessions and links: nobody can sign in as the person until they choose a
 * password by a new link.
 */
export async function deletePassword(tx: Transaction, personId: string): Promise<void> {
  await removePassword(tx, { personId });
  await deleteLinks(tx, { personId });
  await deleteSessions(tx, { personId });
}

export const deleteSessions = change((db, { personId }: { personId: string }) =>
  db.delete(sessions).where(eq(sessions.personId, personId)),
).written;

/** A person and a network they signed in from, as a keyed hash. */
export interface PersonNetwork {
  personId: string;
  network: Buffer;
}

export const selectSignedInAt = query((db, { personId, network }: PersonNetwork) =>
  db
    .select({ at: knownNetworks.signedInAt })
    .from(knownNetworks)
    .where(and(eq(knownNetworks.personId, personId), eq(knownNetworks.network, network))),
).value;

export const putNetwork = change(
  (db, { personId, network, signedInAt }: PersonNetwork & { signedInAt: number }) =>
    db
      .insert(knownNetworks)
      .values({ personId, network, signedInAt })
      .onConflictDoUpdate({
        target: [knownNetworks.personId, knownNetworks.network],
        set: { signedInAt: sql`excluded.signed_in_at` },
      }),
).run;
