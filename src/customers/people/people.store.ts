import { type Database, statement } from "../../db/database.ts";
import type { Person } from "./person.ts";

/** How somebody signs in, for staff. */
export interface PersonAccount extends Person {
  hasPassword: boolean;
  /** Sessions that have not ended. */
  sessions: number;
}

type Row = Omit<Person, "isStaff" | "isVerified"> & { isStaff: number; isVerified: number };

const COLUMNS = "id, name, email, is_staff AS isStaff, email_verified AS isVerified";

export function selectPersonByEmail(db: Database, email: string): Person | undefined {
  const row = statement<Row>(db, `SELECT ${COLUMNS} FROM people WHERE email = ?`).get(email);
  return row && toPerson(row);
}

export function selectEmail(db: Database, personId: string): string | undefined {
  const found = statement<{ email: string }>(db, "SELECT email FROM people WHERE id = ?");
  return found.get(personId)?.email;
}

export function selectPeople(db: Database, nowMs: number): PersonAccount[] {
  return statement<Row & { hasPassword: number; sessions: number }>(
    db,
    `SELECT ${COLUMNS},
       EXISTS (SELECT 1 FROM credentials c WHERE c.person_id = p.id AND c.password IS NOT NULL)
         AS hasPassword,
       (SELECT count(*) FROM sessions s WHERE s.person_id = p.id AND s.expires_at > ?) AS sessions
     FROM people p ORDER BY email`,
  )
    .all(new Date(nowMs).toISOString())
    .map((row) => ({
      ...toPerson(row),
      hasPassword: row.hasPassword === 1,
      sessions: row.sessions,
    }));
}

export function selectStaffEmails(db: Database): string[] {
  const staff = "SELECT email FROM people WHERE is_staff = 1 ORDER BY email";
  return statement<{ email: string }>(db, staff)
    .all()
    .map(({ email }) => email);
}

export function countStaff(db: Database): number {
  const counted = "SELECT count(*) AS staff FROM people WHERE is_staff = 1";
  return statement<{ staff: number }>(db, counted).get()?.staff ?? 0;
}

export function anyPerson(db: Database): boolean {
  return statement(db, "SELECT 1 FROM people LIMIT 1").get() !== undefined;
}

/** Whether the person has chosen a password yet. */
export function hasPassword(db: Database, personId: string): boolean {
  const found = "SELECT 1 FROM credentials WHERE person_id = ? AND password IS NOT NULL";
  return statement(db, found).get(personId) !== undefined;
}

export function setStaff(db: Database, personId: string, isStaff: boolean): void {
  statement(db, "UPDATE people SET is_staff = ? WHERE id = ?").run(Number(isStaff), personId);
}

/** Removes the links by which a password could be chosen. */
export function deleteLinks(db: Database, personId: string): void {
  statement(db, "DELETE FROM verifications WHERE value = ?").run(personId);
}

export function setVerified(db: Database, personId: string): void {
  statement(db, "UPDATE people SET email_verified = 1 WHERE id = ?").run(personId);
}

/** Notes whether the link that is made next is trusted to reach the person. */
export function setLinkTrust(db: Database, personId: string, isTrusted: boolean): void {
  const put = "UPDATE people SET link_is_trusted = ? WHERE id = ?";
  statement(db, put).run(Number(isTrusted), personId);
}

/** Notes that a password was chosen by the latest link: the person is verified where the link was trusted. */
export function noteChosen(db: Database, personId: string): void {
  statement(
    db,
    "UPDATE people SET email_verified = link_is_trusted, link_is_trusted = 0 WHERE id = ?",
  ).run(personId);
}

/** Removes the password: nobody can sign in as the person until one is chosen by a new link. */
export function deletePassword(db: Database, personId: string): void {
  statement(db, "DELETE FROM credentials WHERE person_id = ?").run(personId);
  deleteLinks(db, personId);
  deleteSessions(db, personId);
}

/** Ends the person's sessions. @returns how many there were */
export function deleteSessions(db: Database, personId: string): number {
  return statement(db, "DELETE FROM sessions WHERE person_id = ?").run(personId).changes;
}

/** Whether somebody is an active member of an organization that is not archived. */
export function hasPlace(db: Database, email: string): boolean {
  const place = `SELECT 1 FROM members m JOIN organizations o ON o.id = m.organization_id
     WHERE m.email = ? AND m.suspended_at IS NULL AND o.archived_at IS NULL`;
  return statement(db, place).get(email) !== undefined;
}

function toPerson({ id, name, email, isStaff, isVerified }: Row): Person {
  return { id, name, email, isStaff: isStaff === 1, isVerified: isVerified === 1 };
}
