import { createHash } from "node:crypto";
import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ports } from "../../ports/ports.ts";
import { requiredEmail, requiredName } from "../accounts/accounts.ts";
import { putCustomer } from "../keys/key-changes.ts";
import { createKeyToken } from "../keys/key-token.ts";
import { type AuthSettings, authContextOf } from "../people/auth.ts";
import type { HashingQueue } from "../people/hashing-queue.ts";
import { requirePassword } from "../people/password-rules.ts";
import { deleteLinks, hasPassword, selectPersonByEmail } from "../people/people.store.ts";
import { deleteSignUps, insertSignUp, putPerson, selectSignUpEmail } from "./sign-ups.store.ts";

const LINK_MS = 24 * 60 * 60 * 1000;

/** Operations with which visitors create accounts, on the thread that hashes passwords. */
export const signUpOperations = { beginSignUp, opensSignUp, endSignUp };

/**
 * Stores a link for an address, which is valid once, within a day.
 * @returns false, with no link stored, if somebody has an account with this address
 * @throws AppError `invalid` on `email`
 */
function beginSignUp(
  db: Database,
  clock: Clock,
  { email: given, token }: { email: string; token: string },
): Promise<boolean> {
  const email = requiredEmail(given).toLowerCase();
  return inTransaction(db, clock, "sign-up-begin", async (tx) => {
    const now = clock.now();
    const person = await selectPersonByEmail(tx, { email });
    if (person !== undefined && (await hasPassword(tx, { personId: person.id }))) return false;
    await insertSignUp(tx, { tokenHash: hashOf(token), email, expiresAt: now + LINK_MS });
    return true;
  });
}

/** The address of a link; null if it was used or has expired. Checking does not use it up. */
async function opensSignUp(db: Database, clock: Clock, token: string): Promise<string | null> {
  return (await selectSignUpEmail(db, { tokenHash: hashOf(token), now: clock.now() })) ?? null;
}

export interface SignUp {
  token: string;
  name: string;
  password: string;
  organization: string;
  keyName: string;
}

/**
 * Creates a verified person, their organization on Test, and a read-only key, and removes all links of the
 * address, in one transaction.
 * @returns false, with nothing created, if the link was used or has expired, or somebody has an account
 * with the address by now
 * @throws AppError `invalid` on `name`, `organization` and `password`
 */
async function endSignUp(
  db: Database,
  clock: Clock,
  given: SignUp & {
    settings: AuthSettings;
    keyToken: string;
    personId: string;
    credentialId: string;
  },
): Promise<boolean> {
  const tokenHash = hashOf(given.token);
  const email = await selectSignUpEmail(db, { tokenHash, now: clock.now() });
  if (email === null) return false;
  const name = requiredName(given.name);
  requirePassword(given.password, email);
  const context = await authContextOf(db, clock, given.settings);
  const passwordHash = await context.password.hash(given.password);
  return inTransaction(db, clock, "sign-up", async (tx) => {
    const now = clock.now();
    // Another request may have used the link while this one was hashing.
    if ((await selectSignUpEmail(tx, { tokenHash, now })) === null) return false;
    await deleteSignUps(tx, { email });
    const existing = await selectPersonByEmail(tx, { email });
    if (existing !== undefined && (await hasPassword(tx, { personId: existing.id }))) return false;
    const { personId: id, credentialId } = given;
    await putPerson(tx, { id, credentialId, email, name, passwordHash, now }, existing?.id ?? null);
    if (existing !== undefined) await deleteLinks(tx, { personId: existing.id });
    const customer = { organization: given.organization, plan: "test", email, name } as const;
    const key = { name: given.keyName, access: "read_only" } as const;
    const by = { person: email, keyId: null };
    await putCustomer(tx, clock, { ...customer, key, token: given.keyToken }, by);
    return true;
  });
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export type SiteSignUps = ReturnType<typeof createSiteSignUps>;

/** Accounts created by visitors, on the people's thread. */
export function createSiteSignUps(
  people: Calls<typeof signUpOperations>,
  settings: AuthSettings,
  hashing: HashingQueue,
  { clock, random }: Pick<Ports, "clock" | "random">,
) {
  return {
    begin: people.beginSignUp,

    opens: people.opensSignUp,

    /**
     * Creates the account. @returns its first key, shown only now; null if the link is no longer valid
     */
    async end({ network, ...input }: SignUp & { network: string }) {
      const keyToken = createKeyToken("read_only", random);
      const personId = random.uuid(clock.now());
      const credentialId = random.uuid(clock.now());
      const made = { settings, keyToken, personId, credentialId };
      const isMade = await hashing.run("sign-up", network, () =>
        people.endSignUp({ ...input, ...made }),
      );
      return isMade ? { keyToken } : null;
    },
  };
}
