import { and, asc, count, eq, exists, gt, isNotNull, or, sql } from "drizzle-orm";
import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database, Reading, Transaction } from "../../db/database.ts";
import { change, query } from "../../db/statement.ts";
import type { Language } from "../../values/messages/messages.ts";
import type { Person } from "./people.ts";

/*
 * People who can sign in. The library better-auth also writes the first four tables, under the names set in
 * auth.ts; its times are texts.
 */

export const people = sqliteTable("people", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  email: text("email").notNull(),
  isVerified: integer("email_verified", { mode: "boolean" }).notNull(),
  /** Whether the latest password link went to the mailbox, or was created by staff. */
  linkIsTrusted: integer("link_is_trusted", { mode: "boolean" }).notNull().default(false),
  image: text("image"),
  language: text("language").$type<Language>(),
  isStaff: integer("is_staff", { mode: "boolean" }).notNull().default(false),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
});

export const sessions = sqliteTable("sessions", {
  id: text("id").primaryKey(),
  token: text("token").notNull(),
  personId: text("person_id").notNull(),
  expiresAt: text("expires_at").notNull(),
  ipAddress: text("ip_address"),
  userAgent: text("user_agent"),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
});

export const credentials = sqliteTable("credentials", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  providerId: text("provider_id").notNull(),
  personId: text("person_id").notNull(),
  accessToken: text("access_token"),
  refreshToken: text("refresh_token"),
  idToken: text("id_token"),
  accessTokenExpiresAt: text("access_token_expires_at"),
  refreshTokenExpiresAt: text("refresh_token_expires_at"),
  scope: text("scope"),
  /** The password's hash; null until one is chosen. */
  password: text("password"),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
});

/** Password links that have not been used. */
export const verifications = sqliteTable("verifications", {
  id: text("id").primaryKey(),
  identifier: text("identifier").notNull(),
  value: text("value").notNull(),
  expiresAt: text("expires_at").notNull(),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
});

export const knownNetworks = sqliteTable(
  "known_networks",
  {
    personId: text("person_id").notNull(),
    /** A keyed hash. */
    network: blob("network", { mode: "buffer" }).notNull(),
    signedInAt: integer("signed_in_at").notNull(),
  },
  ({ personId, network }) => [primaryKey({ columns: [personId, network] })],
);

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

export const selectLanguage = query((db, { email }: { email: string }) =>
  db.select({ language: people.language }).from(people).where(eq(people.email, email)),
).value;

/** A person's address, and the language that they read pages in. */
export interface PersonLanguage {
  email: string;
  language: Language;
}

export const putLanguage = change((db, { email, language }: PersonLanguage) =>
  db.update(people).set({ language }).where(eq(people.email, email)),
).run;

export const selectEmail = query((db, { personId }: { personId: string }) =>
  db.select({ email: people.email }).from(people).where(eq(people.id, personId)),
).value;

/** Which people a list wants: those after an address, whose address or name contains a text. */
export interface PeoplePart {
  q: string;
  after: string;
  limit: number;
}

function accountColumns(db: Reading, now: string) {
  const passwords = db
    .select({ id: credentials.id })
    .from(credentials)
    .where(and(eq(credentials.personId, people.id), isNotNull(credentials.password)));
  const open = db
    .select({ sessions: count() })
    .from(sessions)
    .where(and(eq(sessions.personId, people.id), gt(sessions.expiresAt, now)));
  return {
    ...personColumns,
    hasPassword: sql`${exists(passwords)}`.mapWith(Boolean),
    sessions: sql`${open}`.mapWith(Number),
  };
}

const selectAccounts = query(
  (db, { now, q, name, after, limit }: PeoplePart & { now: string; name: string }) =>
    db
      .select(accountColumns(db, now))
      .from(people)
      .where(
        and(
          gt(people.email, after),
          sql`(instr(lower(${people.email} || ' ' || ${people.name}), ${q}) OR instr(${people.name}, ${name}))`,
        ),
      )
      .orderBy(asc(people.email))
      .limit(limit),
).all;

/** SQLite folds the case of Latin letters only, so names are searched for with capitals too. */
export function selectPeople(db: Database, nowMs: number, part: PeoplePart): PersonAccount[] {
  const q = part.q.trim().toLowerCase();
  const name = q.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  return selectAccounts(db, { ...part, q, name, now: new Date(nowMs).toISOString() });
}

const selectAccount = query((db, { now, key }: { now: string; key: string }) =>
  db
    .select(accountColumns(db, now))
    .from(people)
    .where(or(eq(people.id, key), eq(people.email, key))),
).one;

/** @param key id or e-mail address */
export function selectPerson(db: Database, nowMs: number, key: string): PersonAccount | undefined {
  return selectAccount(db, { key, now: new Date(nowMs).toISOString() });
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
