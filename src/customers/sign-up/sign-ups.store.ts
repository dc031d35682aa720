import { and, eq, gt } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { allParams, change, eqParam, param, query } from "../../db/query.ts";
import { credentials, people } from "../people/people.table.ts";
import { signUps } from "./sign-ups.table.ts";

const add = change((db) => db.insert(signUps).values(allParams("tokenHash", "email", "expiresAt")));

export async function insertSignUp(
  tx: Transaction,
  signUp: typeof signUps.$inferInsert,
): Promise<void> {
  await add(tx).run(signUp);
}

const byToken = query((db) =>
  db
    .select({ email: signUps.email })
    .from(signUps)
    .where(and(eqParam(signUps.tokenHash, "tokenHash"), gt(signUps.expiresAt, param("now")))),
);

/** The address that a link was mailed to; undefined if it was used or has expired. */
export async function selectSignUpEmail(
  db: Database,
  tokenHash: Buffer,
  now: number,
): Promise<string | undefined> {
  return (await byToken(db).get({ tokenHash, now }))?.email;
}

const removeOfEmail = change((db) => db.delete(signUps).where(eqParam(signUps.email, "email")));

/** Removes all links of an address. */
export async function deleteSignUps(tx: Transaction, email: string): Promise<void> {
  await removeOfEmail(tx).run({ email });
}

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
