import type { Member, Organization, Plan } from "../accounts/accounts.table.ts";
import type { Accounts } from "../accounts/accounts.ts";
import { type PlanCode, type PlanInForce, planInForce } from "../accounts/plan.ts";
import { COMMAND_LINE, recordChange } from "../audit/audit-log.ts";
import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import { fieldError, notFound } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Random } from "../ports/random.ts";
import {
  createKeyToken,
  hashKeyToken,
  isKeyToken,
  type KeyAccess,
  shownPrefix,
} from "./key-token.ts";
import { createKeysStore, type KeysStore } from "./keys.store.ts";
import type { Key } from "./keys.table.ts";

/** Keys whose holders are remembered: some megabytes at the most. */
const REMEMBERED_MAX = 10_000;

/** Who makes a request, and what the plan in force at that moment gives them. */
export interface Caller extends Holder {
  planInForce: PlanInForce;
  plan: Plan;
}

/** Whom a key belongs to. */
interface Holder {
  key: Key;
  member: Member;
  organization: Organization;
}

export type Verification =
  | { ok: true; caller: Caller }
  | { ok: false; code: "not_authenticated" | "authentication_failed"; detail: string };

export type Keys = ReturnType<typeof createKeys>;

/** API keys: made, checked on every request, revoked (decisions, section 5). */
export function createKeys(db: Database, accounts: Accounts, clock: Clock, random: Random) {
  const store = createKeysStore(db);
  const remembered = createMemory(store);

  return {
    /** @returns the stored key, and the full key, which is never to be had again */
    async createKey(
      input: {
        memberId: number;
        name: string;
        access: KeyAccess;
        expiresAt: number | null;
      },
      by = COMMAND_LINE,
    ): Promise<{ key: Key; token: string }> {
      if (input.expiresAt !== null && input.expiresAt <= clock.now()) {
        throw fieldError({ expires: ["The day is over already."] });
      }
      const token = createKeyToken(input.access, random);
      const key = await inTransaction(db, clock, () => {
        const { organizationId } = accounts.member(input.memberId);
        const made = store.addKey({
          memberId: input.memberId,
          name: input.name.trim(),
          prefix: shownPrefix(token),
          hash: hashKeyToken(token),
          access: input.access,
          createdAt: clock.now(),
          expiresAt: input.expiresAt,
          lastUsedAt: null,
          revokedAt: null,
        });
        const { id, memberId, name, access, prefix } = made;
        recordChange(db, clock, by, {
          organizationId,
          action: "key.create",
          target: `key ${id}`,
          details: { member: memberId, name, access, prefix },
        });
        return made;
      });
      return { key, token };
    },

    keys(organizationId: number): Key[] {
      accounts.organization(organizationId);
      return store.keysOf(organizationId);
    },

    /** Revoking twice keeps the first instant. */
    revokeKey(id: number, by = COMMAND_LINE): Promise<Key> {
      return inTransaction(db, clock, () => {
        const found = store.key(id);
        if (found === undefined) throw notFound(`Key ${id}`);
        if (found.revokedAt !== null) return found;
        const revokedAt = clock.now();
        store.revokeKey(id, revokedAt);
        const { memberId, name, prefix } = found;
        recordChange(db, clock, by, {
          organizationId: accounts.member(memberId).organizationId,
          action: "key.revoke",
          target: `key ${id}`,
          details: { name, prefix },
        });
        return { ...found, revokedAt };
      });
    },

    /** Judges an `Authorization` header (specification, section 5). */
    verify(header: string | null, nowMs: number): Verification {
      const match = header === null ? null : /^bearer +(.*)$/i.exec(header.trim());
      const token = match?.[1]?.trim() ?? "";
      if (token === "") {
        return {
          ok: false,
          code: "not_authenticated",
          detail: "Send an API key in the header `Authorization: Bearer <API_KEY>`.",
        };
      }
      if (!isKeyToken(token)) {
        return failed("This is not a whole API key: check that it was copied without a mistake.");
      }
      const holder = remembered.holder(hashKeyToken(token));
      if (holder === undefined) return failed("There is no such API key.");
      const { key, member, organization } = holder;
      if (key.revokedAt !== null) return failed("This API key was revoked.");
      if (key.expiresAt !== null && nowMs >= key.expiresAt) {
        return failed("This API key has expired.");
      }
      if (member.suspendedAt !== null) return failed("The member of this API key is suspended.");
      if (organization.archivedAt !== null) {
        return failed("The organization of this API key is archived.");
      }
      const inForce = planInForce(organization, nowMs);
      const plan = remembered.plan(inForce.plan, accounts.plan);
      return { ok: true, caller: { key, member, organization, planInForce: inForce, plan } };
    },
  };
}

/**
 * Holders of keys and plans, remembered until any account changes: one short read tells. A holder's
 * `lastUsedAt` is that of the first look.
 */
function createMemory(store: KeysStore) {
  const holders = new Map<string, Holder>();
  const plans = new Map<PlanCode, Plan>();
  let version = 0;
  return {
    holder(hash: Buffer): Holder | undefined {
      const current = store.accountsVersion();
      if (current !== version || holders.size >= REMEMBERED_MAX) {
        holders.clear();
        plans.clear();
        version = current;
      }
      const name = hash.toString("base64");
      const known = holders.get(name) ?? store.holder(hash);
      if (known !== undefined) holders.set(name, known);
      return known;
    },

    /** Of the accounts as they were when the holder was asked for. */
    plan(code: PlanCode, read: (code: PlanCode) => Plan): Plan {
      const plan = plans.get(code) ?? read(code);
      plans.set(code, plan);
      return plan;
    },
  };
}

function failed(detail: string): Verification {
  return { ok: false, code: "authentication_failed", detail };
}
