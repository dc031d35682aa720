import type { Database } from "../../db/database.ts";
import { createReadCache } from "../../db/read-transaction.ts";
import { findCopy, type Place } from "../../db/shared-rows.ts";
import type { Random } from "../../ports/ports.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { selectFirstMemberId, selectMember, selectPlanNow } from "../accounts/accounts.store.ts";
import type { Member, Organization, Plan } from "../accounts/accounts.table.ts";
import { requireOrganization } from "../accounts/accounts.ts";
import { PLANS_MAX, type PlanCode, type PlanInForce, planInForce } from "../accounts/plan.ts";
import type { Actor } from "../audit/audit-log.ts";
import type { Customer, CustomerChanges, KeyChanges, NewCustomer, NewKey } from "./key-changes.ts";
import { FIRST_CUSTOMER } from "./key-changes.ts";
import { createKeyToken, hashKeyToken, isKeyToken } from "./key-token.ts";
import type { Key, KeyScope, KeySelection } from "./keys.store.ts";
import {
  accountsVersionNow,
  selectHolderNow,
  selectKey,
  selectKeyOf,
  selectKeys,
  selectKeysNamed,
  selectLastUsedKeys,
  selectNewestKeys,
} from "./keys.store.ts";

export type { KeyScope } from "./keys.store.ts";

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

    named: async (text: string): Promise<Key[]> => selectKeysNamed(db, { text }),

    newest: async (selection: KeySelection): Promise<Key[]> => selectNewestKeys(db, selection),
    lastUsed: async (selection: KeyScope & { limit: number }): Promise<Key[]> =>
      selectLastUsedKeys(db, selection),
    /** One key of an organization or member; undefined if it belongs to another. */
    keyOf: async (selection: KeyScope & { id: number }): Promise<Key | undefined> =>
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

/** Holders to cache: a few megabytes. */
const HOLDERS_KEPT_MAX = 10_000;

/** The author of a request, and what their plan currently grants. */
export interface Caller extends Omit<Holder, "tokenEndsAt"> {
  planInForce: PlanInForce;
  plan: Plan;
  /**
   * State of this node's copy that the account was read from; null on a standalone appliance, and on pages,
   * which cost nothing.
   */
  copy: Place | null;
}

/** A cached key, its member and organization. Serving itself writes `lastUsedAt`, which may be stale. */
interface Holder {
  key: Key;
  member: Member;
  organization: Organization;
  /** Expiry of the access token that stands for the key; null if the key itself was sent. */
  tokenEndsAt: number | null;
}

/** Temporary secrets that stand for somebody's key. */
export interface AccessTokens {
  /** Whether a text has their format, which no key has. */
  isToken(text: string): boolean;
  /** The holder of the key that a secret stands for, by the secret's hash; reads in the tick's snapshot. */
  selectHolderNow(db: Database, hash: string): Holder | undefined;
}

type Verification =
  | { ok: true; caller: Caller }
  | { ok: false; code: "not_authenticated" | "authentication_failed"; reason: Message };

/**
 * Verifies the `Authorization` header of every request (specification, section 5).
 * @param accessTokens temporary secrets that are accepted as well; null for none
 */
function createVerifier(db: Database, accessTokens: AccessTokens | null) {
  const version = (): number => accountsVersionNow(db);
  const isNode = findCopy(db) !== undefined;
  // Holders and plans are cached until any account changes, which a single short read reveals.
  const holders = createReadCache<string, Holder>(db, HOLDERS_KEPT_MAX, version);
  const plans = createReadCache<PlanCode, Plan>(db, PLANS_MAX, version);

  /** A cached secret had the right format; for any other the format is checked before the lookup. */
  function readHolder(token: string, hash: string): Holder | undefined {
    if (isKeyToken(token)) {
      const found = selectHolderNow(db, hash);
      return found && { ...found, tokenEndsAt: null };
    }
    return accessTokens?.isToken(token) ? accessTokens.selectHolderNow(db, hash) : undefined;
  }

  return (header: string | null, nowMs: number): Verification => {
    const token = bearerToken(header);
    if (token === "") {
      return { ok: false, code: "not_authenticated", reason: message("keyNeeded") };
    }
    // Read before the account, which may then be newer than this state, but never older.
    const copy = isNode ? (findCopy(db) ?? null) : null;
    const holder = holders(hashKeyToken(token), (hash) => readHolder(token, hash));
    if (holder === undefined) {
      if (accessTokens?.isToken(token)) return failed(message("tokenUnknown"));
      return failed(message(isKeyToken(token) ? "keyUnknown" : "keyNotWhole"));
    }
    const { key, member, organization, tokenEndsAt } = holder;
    if (key.revokedAt !== null) return failed(message("keyRevoked"));
    if (key.expiresAt !== null && nowMs >= key.expiresAt) return failed(message("keyExpired"));
    if (tokenEndsAt !== null && nowMs >= tokenEndsAt) return failed(message("tokenExpired"));
    if (member.suspendedAt !== null) return failed(message("keyOfSuspended"));
    if (organization.archivedAt !== null) return failed(message("keyOfArchived"));
    const inForce = planInForce(organization, nowMs);
    const plan = plans(inForce.plan, (code) => selectPlanNow(db, code)) as Plan;
    return { ok: true, caller: { key, member, organization, planInForce: inForce, plan, copy } };
  };
}

function bearerToken(header: string | null): string {
  if (header === null) return "";
  // The spelling of nearly all requests; the regular expression would add 0.2 us to each.
  if (header.startsWith("Bearer ")) return header.slice(7).trim();
  const match = /^bearer +(.*)$/i.exec(header.trim());
  return match?.[1]?.trim() ?? "";
}

function failed(reason: Message): Verification {
  return { ok: false, code: "authentication_failed", reason };
}

export type KeyUse = ReturnType<typeof createKeyUse>;

export interface UsedKey {
  keyId: number;
  usedAt: number;
}

const WRITE_INTERVAL_MS = 60_000;

/** Records when keys were last used: at most once a minute each, together with the request's usage. */
export function createKeyUse() {
  const recorded = new Map<number, number>();
  let unwritten: UsedKey[] = [];

  /** The last use that is stored or that this process recorded; null if never used. */
  function lastUsedAt(key: Key): number | null {
    const here = recorded.get(key.id) ?? null;
    return here === null ? key.lastUsedAt : Math.max(here, key.lastUsedAt ?? 0);
  }

  return {
    lastUsedAt,

    note(key: Key, nowMs: number): void {
      if (nowMs - (lastUsedAt(key) ?? 0) < WRITE_INTERVAL_MS) return;
      recorded.set(key.id, nowMs);
      unwritten.push({ keyId: key.id, usedAt: nowMs });
    },

    take(): UsedKey[] {
      const taken = unwritten;
      unwritten = [];
      return taken;
    },

    /** Takes back uses that could not be written: the key's next use records them again. */
    giveBack(uses: readonly UsedKey[]): void {
      for (const { keyId } of uses) recorded.delete(keyId);
    },
  };
}
