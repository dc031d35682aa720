import type { Database } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { COMMAND_LINE } from "../audit/audit-log.ts";
import type { AuthSettings } from "./auth.ts";
import { passwordLink } from "./password-links.ts";
import { setPassword } from "./passwords.ts";
import { type EnsuredPerson, ensurePerson, markStaff, removeUnverifiedPassword } from "./people.ts";

export function createOperatorPeople(
  db: Database,
  clock: Clock,
  settings: () => Promise<AuthSettings>,
) {
  return {
    /** @throws AppError `not_found`; `conflict` for the last member of staff */
    markStaff: (email: string, isStaff: boolean): Promise<void> =>
      markStaff(db, clock, { email, isStaff, by: COMMAND_LINE }),

    /** The person with this address, created if necessary. */
    ensurePerson: async (input: { email: string; name: string }): Promise<EnsuredPerson> =>
      ensurePerson(db, clock, { settings: await settings(), ...input }),

    /** Called before somebody is given more rights. @returns whether they still have a password */
    removeUnverifiedPassword: (email: string): Promise<boolean> =>
      removeUnverifiedPassword(db, clock, email),

    /** A one-time token for choosing a password; null if there is no such person. */
    passwordLink: async (link: { email: string; isTrusted: boolean }): Promise<string | null> =>
      passwordLink(db, clock, { settings: await settings(), ...link }),

    /** Also ends the person's sessions. @throws AppError `invalid`, `not_found` */
    setPassword: async (email: string, password: string): Promise<void> =>
      setPassword(db, clock, { settings: await settings(), email, password, by: COMMAND_LINE }),
  };
}
