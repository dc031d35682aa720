import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
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
import { anyPassword, type PeoplePart, selectPeople, selectPerson } from "./people.store.ts";
import { ensurePerson, markStaff, type Person, removeUnverifiedPassword } from "./people.ts";
import {
  endSessions,
  isKnownNetwork,
  networkHash,
  noteLanguage,
  signedIn,
  signIn,
  signOut,
} from "./sessions.ts";

/** Sign-in, passwords and sessions: some of them hash, one at a time, and all write. */
export const peopleOperations = {
  signIn,
  passwordLink,
  choosePassword,
  changePassword,
  setPassword,
  ensurePerson,
  setUpPerson,
  markStaff,
  endSessions,
  removeUnverifiedPassword,
  signedIn,
  signOut,
  opensLink,
  noteLanguage,
};

type Operations = Calls<typeof peopleOperations>;
type Input<Operation extends (input: never) => unknown> = Omit<
  Parameters<Operation>[0],
  "settings" | "network"
>;
/** Network of a request that hashes a password: only a few requests per network may wait. */
interface FromNetwork {
  network: string;
}

export type People = ReturnType<typeof createPeople>;

/** People as the operator manages them. */
export function createPeople(
  db: Database,
  { ensurePerson, passwordLink, setPassword, ...changes }: Operations,
  settings: () => Promise<AuthSettings>,
  clock: Clock,
) {
  return {
    markStaff: changes.markStaff,
    endSessions: changes.endSessions,
    removeUnverifiedPassword: changes.removeUnverifiedPassword,
    ensurePerson: async (input: Input<Operations["ensurePerson"]>) =>
      ensurePerson({ settings: await settings(), ...input }),
    passwordLink: async (link: Input<Operations["passwordLink"]>) =>
      passwordLink({ settings: await settings(), ...link }),
    setPassword: async (input: Input<Operations["setPassword"]>) =>
      setPassword({ settings: await settings(), ...input }),
    accounts: async (part: PeoplePart) => selectPeople(db, clock.now(), part),
    account: async (key: string) => selectPerson(db, clock.now(), key),
  };
}

export type SitePeople = ReturnType<typeof createSitePeople>;

/**
 * Operations on people for the account site, on the threads that run them.
 * @param networkKey hashes the networks that people sign in from
 */
export function createSitePeople(
  db: Database,
  people: Operations,
  { settings, networkKey }: { settings: AuthSettings; networkKey: string },
  hashing: HashingQueue,
  clock: Clock,
) {
  return {
    ...createPeople(db, people, async () => settings, clock),
    /** Whether they have signed in from this network before. */
    knowsNetwork: (email: string, network: string) =>
      isKnownNetwork(db, clock.now(), { email, network: networkHash(networkKey, network) }),

    signIn: ({
      network,
      isKnownNetwork: isKnown,
      ...input
    }: FromNetwork & Input<Operations["signIn"]> & { isKnownNetwork: boolean }) =>
      hashing.run(isKnown ? "known-sign-in" : "sign-in", network, () =>
        people.signIn({ settings, network: networkHash(networkKey, network), ...input }),
      ),

    signedIn: (cookie: string) => people.signedIn({ settings, cookie }),
    signOut: (cookie: string) => people.signOut({ settings, cookie }),
    noteLanguage: people.noteLanguage,
    opensLink: (token: string) => people.opensLink({ settings, token }),

    /** Null, without hashing anything, if the link was used or has expired. */
    choosePassword: async ({
      network,
      ...input
    }: FromNetwork & Input<Operations["choosePassword"]>) =>
      (await people.opensLink({ settings, token: input.token }))
        ? hashing.run("choose-password", network, () =>
            people.choosePassword({
              settings,
              network: networkHash(networkKey, network),
              ...input,
            }),
          )
        : null,

    changePassword: ({ network, ...input }: FromNetwork & Input<Operations["changePassword"]>) =>
      hashing.run("change-password", network, () => people.changePassword({ settings, ...input })),

    setUpPerson: ({ network, ...input }: FromNetwork & Input<Operations["setUpPerson"]>) =>
      hashing.run("set-up", network, () => people.setUpPerson({ settings, ...input })),
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
