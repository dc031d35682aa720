import type { Database } from "../../db/database.ts";
import { transaction } from "../../db/transaction.ts";
import { AppError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { requiredEmail } from "../accounts/accounts.ts";
import { type Actor, recordChange } from "../audit/audit-log.ts";
import { type AuthSettings, authContextOf } from "./auth.ts";
import {
  deletePassword,
  hasPassword,
  selectPersonByEmail,
  selectStaffEmails,
  updatePerson,
} from "./people.store.ts";

/** A person found or created, to be invited. */
export interface EnsuredPerson {
  person: Person;
  hasPassword: boolean;
}

/**
 * Finds the person with this address, or creates one without a password.
 * @throws AppError `invalid` on `email`
 */
export async function ensurePerson(
  db: Database,
  clock: Clock,
  { settings, email, name }: { settings: AuthSettings; email: string; name: string },
): Promise<EnsuredPerson> {
  const existing = await selectPersonByEmail(db, { email });
  if (existing !== undefined)
    return { person: existing, hasPassword: await hasPassword(db, { personId: existing.id }) };
  requiredEmail(email);
  const { internalAdapter } = await authContextOf(db, clock, settings);
  const made = { email: email.toLowerCase(), name: name === "" ? email : name };
  const { id } = await internalAdapter.createUser(
    { ...made, emailVerified: false },
    { method: "admin" },
  );
  return { person: { id, ...made, isStaff: false, isVerified: false }, hasPassword: false };
}

/**
 * Called before staff give somebody more rights. Removes the password of a person who is not verified,
 * because somebody else may have chosen it; staff then hand over a new link. Does nothing if there is no
 * such person.
 * @returns whether the person still has a password
 */
export const removeUnverifiedPassword = transaction("person", async (tx, _clock, email: string) => {
  const person = await selectPersonByEmail(tx, { email });
  if (person === undefined) return false;
  if (!person.isVerified) await deletePassword(tx, person.id);
  return hasPassword(tx, { personId: person.id });
});

/** @throws AppError `not_found`; `conflict` if no staff is left */
export const markStaff = transaction(
  "person",
  async (tx, clock, { email, isStaff, by }: { email: string; isStaff: boolean; by: Actor }) => {
    const person = await requirePerson(tx, email);
    if (person.isStaff === isStaff) return;
    if (person.isStaff && !isStaff && (await selectStaffEmails(tx)).length === 1) {
      throw new AppError("conflict", message("lastStaff", { email }));
    }
    await updatePerson(tx, person.id, { isStaff });
    const action = isStaff ? "staff.add" : "staff.remove";
    await recordChange(tx, clock, by, { action, id: person.email });
  },
);

/** @throws AppError `not_found` */
export async function requirePerson(db: Database, email: string): Promise<Person> {
  const person = await selectPersonByEmail(db, { email });
  if (person === undefined) throw notFound("person", email);
  return person;
}

export interface Person {
  id: string;
  name: string;
  email: string;
  isStaff: boolean;
  /** Whether they are known to own the address: if not, their inviter may have chosen the password. */
  isVerified: boolean;
}
