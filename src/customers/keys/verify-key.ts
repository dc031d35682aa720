import type { Database } from "../../db/database.ts";
import { createReadCache } from "../../db/read-cache.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { selectPlanNow } from "../accounts/accounts.store.ts";
import type { Member, Organization, Plan } from "../accounts/accounts.table.ts";
import { PLAN_CODES, type PlanCode, type PlanInForce, planInForce } from "../accounts/plan.ts";
import { hashKeyToken, isKeyToken } from "./key-token.ts";
import { accountsVersionNow, selectHolderNow } from "./keys.store.ts";
import type { Key } from "./keys.table.ts";

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

/**
 * Judges the `Authorization` header of every request (specification, section 5).
 * @param accessTokens other secrets that open keys; null where there are none
 */
export function createVerifier(db: Database, accessTokens: AccessTokens | null) {
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

  return (header: string | null, nowMs: number): Verification => {
    const token = bearerToken(header);
    if (token === "") {
      return { ok: false, code: "not_authenticated", said: message("keyNeeded") };
    }
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
    return { ok: true, caller: { key, member, organization, planInForce: inForce, plan } };
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

function failed(said: Message): Verification {
  return { ok: false, code: "authentication_failed", said };
}
