import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Actor } from "../audit/audit-log.ts";
import type { AuthSettings } from "./auth.ts";
import type { HashingQueue } from "./hashing-queue.ts";
import { isKnownNetwork, networkHash } from "./known-networks.ts";
import { choosePassword, opensLink, passwordLink } from "./password-links.ts";
import { changePassword } from "./passwords.ts";
import { selectPeople } from "./people.store.ts";
import { distrust, ensurePerson, markStaff } from "./people.ts";
import { endSessions, endSessionsOfSuspended, signedIn, signIn, signOut } from "./sessions.ts";
import { setUpPerson } from "./set-up-person.ts";

/** Sign-in and passwords: some hash, all write. */
export const peopleOperations = {
  signIn,
  passwordLink,
  choosePassword,
  changePassword,
  ensurePerson,
  setUpPerson,
  markStaff,
  endSessions,
  endSessionsOfSuspended,
  distrust,
};

/** Who is signed in: asked for every page, so nobody's hashing may be in the way. */
export const sessionOperations = { signedIn, signOut, opensLink };

type People = Calls<typeof peopleOperations>;
type Sessions = Calls<typeof sessionOperations>;
/** The input of an operation, as the site gives it. */
type Input<Operation extends (input: never) => unknown> = Omit<
  Parameters<Operation>[0],
  "settings" | "network"
>;
/** The network of a request that hashes a password: such requests wait, a few of each network. */
interface FromNetwork {
  network: string;
}

export type SitePeople = ReturnType<typeof createSitePeople>;

/**
 * People's operations for the account site, on the threads that run them.
 * @param networkKey hashes the networks from which people signed in
 */
export function createSitePeople(
  db: Database,
  { people, sessions }: { people: People; sessions: Sessions },
  { settings, networkKey }: { settings: AuthSettings; networkKey: string },
  hashing: HashingQueue,
  clock: Clock,
) {
  return {
    /** Whether they signed in from this network before. */
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

    signedIn: (cookie: string) => sessions.signedIn({ settings, cookie }),
    signOut: (cookie: string) => sessions.signOut({ settings, cookie }),
    passwordLink: (link: Input<People["passwordLink"]>) =>
      people.passwordLink({ settings, ...link }),

    /** Whether the link of this token works; looking does not use it up. */
    opensLink: (token: string) => sessions.opensLink({ settings, token }),

    /** False where the link was used or is too old: nothing is hashed then. */
    choosePassword: async ({ network, ...input }: FromNetwork & Input<People["choosePassword"]>) =>
      (await sessions.opensLink({ settings, token: input.token })) &&
      hashing.run("choose-password", network, () => people.choosePassword({ settings, ...input })),

    changePassword: ({ network, ...input }: FromNetwork & Input<People["changePassword"]>) =>
      hashing.run("change-password", network, () => people.changePassword({ settings, ...input })),

    ensurePerson: (input: Input<People["ensurePerson"]>) =>
      people.ensurePerson({ settings, ...input }),

    setUpPerson: ({ network, ...input }: FromNetwork & Input<People["setUpPerson"]>) =>
      hashing.run("set-up", network, () => people.setUpPerson({ settings, ...input })),

    markStaff: people.markStaff,
    endSessions: (email: string, by: Actor) => people.endSessions({ email, by }),

    /** Ends sessions only of somebody who is not staff and may act nowhere any more. */
    endSessionsOfSuspended: people.endSessionsOfSuspended,

    distrust: people.distrust,

    /** Everybody, by address. */
    people: () => selectPeople(db, clock.now()),
  };
}
