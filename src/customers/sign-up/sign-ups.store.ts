import { and, eq, gt } from "drizzle-orm";
import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Transaction } from "../../db/database.ts";
import { change, query } from "../../db/statement.ts";
import { credentials, people } from "../people/people.store.ts";

export const signUps = sqliteTable("sign_ups", {
  tokenHash: blob("token_hash", { mode: "buffer" }).primaryKey(),
  /** Address in lower case. */
  email: text("email").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

export const insertSignUp = change(
  (db, { tokenHash, email, expiresAt }: typeof signUps.$inferInsert) =>
    db.insert(signUps).values({ tokenHash, email, expiresAt }),
).run;

/** The address that a link was mailed to; null if it was used or has expired. */
export const selectSignUpEmail = query(
  (db, { tokenHash, now }: { tokenHash: Buffer; now: number }) =>
    db
      .select({ email: signUps.email })
      .from(signUps)
      .where(and(eq(signUps.tokenHash, tokenHash), gt(signUps.expiresAt, now))),
).value;

export const deleteSignUps = change((db, { email }: { email: string }) =>
  db.delete(signUps).where(eq(signUps.email, email)),
).run;

/** A person with a password, in the form that better-auth reads. */
interface NewPerson {
  id: string;
  credentialId: string;
  email: string;
  name: string;
  passwordHash: string;
  now: number;
}

/** @param existingId id of a person who was invited and has no password yet; null for somebody new */
export async function putPerson(
  tx: Transaction,
  { id, credentialId, email, name, passwordHash, now }: NewPerson,
  existingId: string | null,
): Promise<void> {
  const at = new Date(now).toISOString();
  const times = { createdAt: at, updatedAt: at };
  if (existingId === null) {
    await tx.builders.insert(people).values({ id, email, name, isVerified: true, ...times });
  } else {
    const values = { name, isVerified: true, updatedAt: at };
    await tx.builders.update(people).set(values).where(eq(people.id, existingId));
  }
  const personId = existingId ?? id;
  const account = { accountId: personId, providerId: "credential", personId };
  await tx.builders
    .insert(credentials)
    .values({ id: credentialId, ...account, password: passwordHash, ...times });
}
