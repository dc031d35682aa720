import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Actor, COMMAND_LINE } from "../audit/audit-log.ts";
import type { AuthSettings } from "./auth.ts";
import type { HashingQueue } from "./hashing-queue.ts";
import { requirePassword } from "./password-rules.ts";
import {
  changePassword,
  choosePassword,
  opensLink,
  passwordLink,
  setPassword,
} from "./passwords.ts";
import { anyPassword, selectPeople } from "./people.store.ts";
import {
  type EnsuredPerson,
  ensurePerson,
  markStaff,
  type Person,
  removeUnverifiedPassword,
} from "./people.ts";
import { endSessions, isKnownNetwork, networkHash, signedIn, signIn, signOut } from "./sessions.ts";

/** Sign-in, passwords and sessions: some of them hash, one at a time, and all write. */
export const peopleOperations = {
  signIn,
  passwordLink,
  choosePassword,
  changePassword,
  ensurePerson,
  setUpPerson,
  markStaff,
  endSessions,
  removeUnverifiedPassword,
  signedIn,
  signOut,
  opensLink,
};

type People = Calls<typeof peopleOperations>;
type Input<Operation extends (input: never) => unknown> = Omit<
  Parameters<Operation>[0],
  "settings" | "network"
>;
/** Network of a request that hashes a password: only a few requests per network may wait. */
interface FromNetwork {
  network: string;
}

export type SitePeople = ReturnType<typeof createSitePeople>;

/**
 * Operations on people for the account site, on the threads that run them.
 * @param networkKey hashes the networks that people sign in from
 */
export function createSitePeople(
  db: Database,
  people: People,
  { settings, networkKey }: { settings: AuthSettings; networkKey: string },
  hashing: HashingQueue,
  clock: Clock,
) {
  return {
    /** Whether they have signed in from this network before. */
    knowsNetwork: (email: string, network: string) =>
      isKnownNetwork(db, clock.now(), { email, network: networkHash(networkKey, network) }),

    signIn: ({
      network,
      isKnownNetwork: isKnown,
      ...input
    }: FromNetwork & Input<People["signIn"]> & { isKnownNetwork: boolean }) =>
      hashing.run(isKnown ? "known-sign-in" : "sign-in", network, () =>
        people.signIn({ settings, network: networkHash(networkKey, network), ...input }),
      ),

    signedIn: (cookie: string) => people.signedIn({ settings, cookie }),
    signOut: (cookie: string) => people.signOut({ settings, cookie }),
    passwordLink: (link: Input<People["passwordLink"]>) =>
      people.passwordLink({ settings, ...link }),

    opensLink: (token: string) => people.opensLink({ settings, token }),

    /** Null, without hashing anything, if the link was used or has expired. */
    choosePassword: async ({ network, ...input }: FromNetwork & Input<People["choosePassword"]>) =>
      (await people.opensLink({ settings, token: input.token }))
        ? hashing.run("choose-password", network, () =>
            people.choosePassword({
              settings,
              network: networkHash(networkKey, network),
              ...input,
            }),
          )
        : null,

    changePassword: ({ network, ...input }: FromNetwork & Input<People["changePassword"]>) =>
      hashing.run("change-password", network, () => people.changePassword({ settings, ...input })),

    ensurePerson: (input: Input<People["ensurePerson"]>) =>
      people.ensurePerson({ settings, ...input }),

    setUpPerson: ({ network, ...input }: FromNetwork & Input<People["setUpPerson"]>) =>
      hashing.run("set-up", network, () => people.setUpPerson({ settings, ...input })),

    markStaff: people.markStaff,
    endSessions: (email: string, by: Actor) => people.endSessions({ email, by }),

    removeUnverifiedPassword: people.removeUnverifiedPassword,

    /** Everybody, by address. */
    people: () => selectPeople(db, clock.now()),
  };
}

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
