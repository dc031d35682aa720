import type { Database } from "../../db/database.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AuthSettings } from "./auth.ts";
import { requirePassword } from "./password-rules.ts";
import { setPassword } from "./passwords.ts";
import { anyPerson } from "./people.store.ts";
import { ensurePerson, markStaff } from "./people.ts";
import type { Person } from "./person.ts";

/**
 * Makes the first person of an appliance, who is staff.
 * @throws AppError `invalid`; `not_found` where there is somebody already
 */
export async function setUpPerson(
  db: Database,
  clock: Clock,
  input: { settings: AuthSettings; email: string; name: string; password: string },
): Promise<Person> {
  requirePassword(input.password, input.email);
  if (await anyPerson(db)) throw notFound("setUpPage");
  const { person } = await ensurePerson(db, clock, input);
  await setPassword(db, clock, { ...input, by: null });
  const by = { person: person.email, keyId: null };
  await markStaff(db, clock, { email: input.email, isStaff: true, by });
  return { ...person, isStaff: true, isVerified: true };
}
