import type { Database } from "../../db/database.ts";
import { createReadCache } from "../../db/read-cache.ts";
import type { Random } from "../../ports/random.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { selectFirstMemberId, selectMember, selectPlanNow } from "../accounts/accounts.store.ts";
import type { Member, Organization, Plan } from "../accounts/accounts.table.ts";
import { requireOrganization } from "../accounts/accounts.ts";
import { PLAN_CODES, type PlanCode, type PlanInForce, planInForce } from "../accounts/plan.ts";
import type { Actor } from "../audit/audit-log.ts";
import type { KeyChanges, NewKey } from "./key-changes.ts";
import { createKeyToken, hashKeyToken, isKeyToken } from "./key-token.ts";
import { accountsVersionNow, selectHolderNow, selectKeys, selectKeysNamed } from "./keys.store.ts";
import type { Key } from "./keys.table.ts";
import {
  type Customer,
  type CustomerChanges,
  FIRST_CUSTOMER,
  type NewCustomer,
} from "./new-customer.ts";

/** Holders that are cached: some megabytes. */
const HOLDERS_KEPT_MAX = 10_000;

/** Who makes a request, and what the plan in force at that moment gives them. */
export interface Caller extends Omit<Holder, "tokenEndsAt"> {
  planInForce: PlanInForce;
  plan: Plan;
}

/** A cached key with its member and organization. Its `lastUsedAt` may be old, since serving itself writes it. */
interface Holder {
  key: Key;
  member: Member;
  organization: Organization;
  /** The end of the access token that opens the key; null where it is opened by itself. */
  tokenEndsAt: number | null;
}

/** Secrets that open somebody's key for a time. */
export interface AccessTokens {
  /** Whether a text has their form: no key's. */
  isToken(text: string): boolean;
  /** The holder of the key that a secret opens, by its hash, in the snapshot of the tick. */
  selectHolderNow(db: Database, hash: string): Holder | undefined;
}

type Verification =
  | { ok: true; caller: Caller }
  | { ok: false; code: "not_authenticated" | "authentication_failed"; said: Message };

export type Keys = ReturnType<typeof createKeys>;

/**
 * API keys: made, checked on every request, revoked.
 * @param db where they are read
 * @param changes as they are run on a connection that writes
 * @param accessTokens other secrets that open keys; null where there are none
 */
export function createKeys(
  db: Database,
  changes: KeyChanges & CustomerChanges,
  random: Random,
  accessTokens: AccessTokens | null,
) {
  const version = (): number => accountsVersionNow(db);
  // Holders and plans are kept until any account changes: one short read tells.
  const holders = createReadCache<string, Holder>(db, HOLDERS_KEPT_MAX, version);
  const plans = createReadCache<PlanCode, Plan>(db, PLAN_CODES.length, version);

  /** A secret in the cache had the right form; for any other the form is checked before the look-up. */
  function readHolder(token: string, hash: string): Holder | undefined {
    if (isKeyToken(token)) {
      const found = selectHolderNow(db, hash);
      return found && { ...found, tokenEndsAt: null };
    }
    return accessTokens?.isToken(token) ? accessTokens.selectHolderNow(db, hash) : undefined;
  }

  return {
    /** @returns the stored key, and the full key, which is never to be had again */
    async createKey(input: NewKey, by: Actor): Promise<{ key: Key; token: string }> {
      const token = createKeyToken(input.access, random);
      return { key: await changes.addKey({ ...input, token }, by), token };
    },
    revokeKey: changes.revokeKey,

    /** @returns what was made, and the full key, which is never to be had again */
    async createCustomer(
      input: NewCustomer,
      by: Actor,
    ): Promise<{ made: Customer; token: string }> {
      const token = createKeyToken(input.key.access, random);
      return { made: await changes.addCustomer({ ...input, token }, by), token };
    },

    /**
     * Makes the customer of a new appliance, where there is nobody, or another key of the owner's, where
     * nobody has used any: a start whose output was lost tells a key all the same, and the lost one is
     * revoked once it is older than a minute.
     * @returns the full key; null where a key was used, or somebody else was the first
     */
    async createFirst(by: Actor): Promise<string | null> {
      const token = createKeyToken(FIRST_CUSTOMER.key.access, random);
      const made = await changes.addFirstCustomer({ ...FIRST_CUSTOMER, token }, by);
      if (made !== null) return token;
      const memberId = await selectFirstMemberId(db);
      const member = memberId === null ? undefined : await selectMember(db, memberId);
      // Who set it up, or was made a customer by somebody, makes keys of their own.
      if (member?.email !== FIRST_CUSTOMER.email) return null;
      const all = await selectKeys(db, member.organizationId);
      const isUnused = all.every(({ lastUsedAt }) => lastUsedAt === null);
      if (all[0]?.name !== FIRST_CUSTOMER.key.name || !isUnused) return null;
      const another = { ...FIRST_CUSTOMER.key, memberId: member.id, expiresAt: null, token };
      const lost = all.filter(({ name }) => name === FIRST_CUSTOMER.key.name);
      await changes.replaceKeys({ ...another, replaced: lost.map(({ id }) => id) }, by);
      return token;
    },

    /** Keys with a prefix or name, of all organizations. */
    named: (text: string): Promise<Key[]> => selectKeysNamed(db, text),

    /** @throws AppError `not_found` for the organization */
    async keys(organizationId: number): Promise<Key[]> {
      await requireOrganization(db, organizationId);
      return selectKeys(db, organizationId);
    },

    /** Judges an `Authorization` header (specification, section 5). */
    verify(header: string | null, nowMs: number): Verification {
      const token = bearerToken(header);
      if (token === "") {
        return {
          ok: false,
          code: "not_authenticated",
          said: message("keyNeeded"),
        };
      }
      const holder = holders(hashKeyToken(token), (hash) => readHolder(token, hash));
      if (holder === undefined) {
        if (accessTokens?.isToken(token)) return failed("tokenUnknown");
        return failed(isKeyToken(token) ? "keyUnknown" : "keyNotWhole");
      }
      const { key, member, organization, tokenEndsAt } = holder;
      if (key.revokedAt !== null) return failed("keyRevoked");
      if (key.expiresAt !== null && nowMs >= key.expiresAt) {
        return failed("keyExpired");
      }
      if (tokenEndsAt !== null && nowMs >= tokenEndsAt) return failed("tokenExpired");
      if (member.suspendedAt !== null) return failed("keyOfSuspended");
      if (organization.archivedAt !== null) {
        return failed("keyOfArchived");
      }
      const inForce = planInForce(organization, nowMs);
      const plan = plans(inForce.plan, (code) => selectPlanNow(db, code)) as Plan;
      return { ok: true, caller: { key, member, organization, planInForce: inForce, plan } };
    },
  };
}

/** The token of an `Authorization` header; empty where there is none. */
function bearerToken(header: string | null): string {
  if (header === null) return "";
  // Nearly all requests write it so, and the expression would take 0.2 us of each.
  if (header.startsWith("Bearer ")) return header.slice(7).trim();
  const match = /^bearer +(.*)$/i.exec(header.trim());
  return match?.[1]?.trim() ?? "";
}

type KeyFault =
  | "keyUnknown"
  | "keyNotWhole"
  | "keyRevoked"
  | "keyExpired"
  | "tokenUnknown"
  | "tokenExpired"
  | "keyOfSuspended"
  | "keyOfArchived";

function failed(fault: KeyFault): Verification {
  return { ok: false, code: "authentication_failed", said: message(fault) };
}
