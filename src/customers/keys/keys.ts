import type { Database } from "../../db/database.ts";
import type { Random } from "../../ports/random.ts";
import { selectFirstMemberId, selectMember } from "../accounts/accounts.store.ts";
import { requireOrganization } from "../accounts/accounts.ts";
import type { Actor } from "../audit/audit-log.ts";
import type { KeyChanges, NewKey } from "./key-changes.ts";
import { createKeyToken } from "./key-token.ts";
import {
  type KeyScope,
  type KeySelection,
  selectKey,
  selectKeyOf,
  selectKeys,
  selectKeysNamed,
  selectLastUsedKeys,
  selectNewestKeys,
} from "./keys.store.ts";
import type { Key } from "./keys.table.ts";
import {
  type Customer,
  type CustomerChanges,
  FIRST_CUSTOMER,
  type NewCustomer,
} from "./new-customer.ts";
import { type AccessTokens, createVerifier } from "./verify-key.ts";

export type { KeyScope } from "./keys.store.ts";
export type { AccessTokens, Caller } from "./verify-key.ts";

export type Keys = ReturnType<typeof createKeys>;

/**
 * API keys: created, verified on every request, revoked.
 * @param db for reading
 * @param changes run on a writing connection
 * @param accessTokens temporary secrets that stand for keys; null for none
 */
export function createKeys(
  db: Database,
  changes: KeyChanges & CustomerChanges,
  random: Random,
  accessTokens: AccessTokens | null,
) {
  return {
    /** @returns the stored key, and the full key, which cannot be retrieved again */
    async createKey(input: NewKey, by: Actor): Promise<{ key: Key; token: string }> {
      const token = createKeyToken(input.access, random);
      return { key: await changes.addKey({ ...input, token }, by), token };
    },
    revokeKey: changes.revokeKey,

    /** @returns what was created, including the full key, which cannot be retrieved again */
    async createCustomer(
      input: NewCustomer,
      by: Actor,
    ): Promise<{ made: Customer; token: string }> {
      const token = createKeyToken(input.key.access, random);
      return { made: await changes.addCustomer({ ...input, token }, by), token };
    },

    /**
     * Creates a new appliance's customer if there is none, or another key for its owner if no key was ever
     * used: if the output of a start was lost, the next one prints a key all the same, and the lost key is
     * revoked once it is older than a minute.
     * @returns the full key; null if a key has been used, or the first customer is somebody else's
     */
    async createFirst(by: Actor): Promise<string | null> {
      const token = createKeyToken(FIRST_CUSTOMER.key.access, random);
      const made = await changes.addFirstCustomer({ ...FIRST_CUSTOMER, token }, by);
      if (made !== null) return token;
      const memberId = await selectFirstMemberId(db);
      const member = memberId === null ? undefined : await selectMember(db, { id: memberId });
      // Somebody who set it up, or became a customer in another way, creates keys themselves.
      if (member?.email !== FIRST_CUSTOMER.email) return null;
      const all = await selectKeys(db, { organizationId: member.organizationId });
      const isUnused = all.every(({ lastUsedAt }) => lastUsedAt === null);
      if (all[0]?.name !== FIRST_CUSTOMER.key.name || !isUnused) return null;
      const another = { ...FIRST_CUSTOMER.key, memberId: member.id, expiresAt: null, token };
      const lost = all.filter(({ name }) => name === FIRST_CUSTOMER.key.name);
      await changes.replaceKeys({ ...another, replaced: lost.map(({ id }) => id) }, by);
      return token;
    },

    named: (text: string): Promise<Key[]> => selectKeysNamed(db, { text }),

    newest: (selection: KeySelection): Promise<Key[]> => selectNewestKeys(db, selection),
    lastUsed: (selection: KeyScope & { limit: number }): Promise<Key[]> =>
      selectLastUsedKeys(db, selection),
    /** One key of an organization or member; undefined if it belongs to another. */
    keyOf: (selection: KeyScope & { id: number }): Promise<Key | undefined> =>
      selectKeyOf(db, selection),
    /** The keys with these numbers; unknown numbers are left out. */
    async byIds(ids: readonly number[]): Promise<Key[]> {
      const found = await Promise.all(ids.map((id) => selectKey(db, { id })));
      return found.filter((key) => key !== undefined);
    },

    /** @throws AppError `not_found` for the organization */
    async keys(organizationId: number): Promise<Key[]> {
      await requireOrganization(db, organizationId);
      return selectKeys(db, { organizationId });
    },

    verify: createVerifier(db, accessTokens),
  };
}
