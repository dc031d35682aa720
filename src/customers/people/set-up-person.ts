import type { Database } from "../../db/database.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AuthSettings } from "./auth.ts";
import { requirePassword } from "./password-rules.ts";
import { setPassword } from "./passwords.ts";
import { anyPassword } from "./people.store.ts";
import { ensurePerson, markStaff } from "./people.ts";
import type { Person } from "./person.ts";

/**
 * Creates an appliance's first person, who is staff. The password is set last, because it closes the
 * set-up: one that was interrupted can be repeated.
 * @throws AppError `invalid`; `not_found` if somebody already has a password
 */
export async function setUpPerson(
  db: Database,
  clock: Clock,
  input: { settings: AuthSettings; email: string; name: string; password: string },
): Promise<Person> {
  requirePassword(input.password, input.email);
  if (await anyPassword(db)) throw notFound("setUpPage");
  const { person } = await ensurePerson(db, clock, input);
  const by = { person: person.email, keyId: null };
  await markStaff(db, clock, { email: input.email, isStaff: true, by });
  await setPassword(db, clock, { ...input, by: null });
  return { ...person, isStaff: true, isVerified: true };
}
