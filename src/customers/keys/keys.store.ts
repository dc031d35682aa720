import { and, asc, desc, eq, getTableColumns, lt, or, type SQL, sql } from "drizzle-orm";
import { type Database, statement, type Transaction } from "../../db/database.ts";
import { eqParam, param, query, queryNow } from "../../db/query.ts";
import { members, organizations } from "../accounts/accounts.table.ts";
import { type Key, keys } from "./keys.table.ts";

const { hash: _hash, ...ownColumns } = getTableColumns(keys);
/** Columns of a key, without its hash. */
export const keyColumns = ownColumns;

const holderByHash = queryNow((db) =>
  db
    .select({ key: keyColumns, member: members, organization: organizations })
    .from(keys)
    .innerJoin(members, eq(members.id, keys.memberId))
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eqParam(keys.hash, "hash")),
);

/** A key with its member and organization, read in the tick's snapshot. */
export function selectHolderNow(db: Database, hash: string) {
  return holderByHash(db).get({ hash: toBytes(hash) });
}

/** A number that changes whenever a plan, organization, member or key is updated, except by a key's use. */
export function accountsVersionNow(db: Database): number {
  const version = statement<{ version: number }>(db, "SELECT version FROM accounts_version");
  return version.get()?.version ?? 0;
}

const keyById = query((db) => db.select(keyColumns).from(keys).where(eqParam(keys.id, "id")));

export function selectKey(db: Database, id: number): Promise<Key | undefined> {
  return keyById(db).get({ id });
}

const keysByOrganization = query((db) =>
  db
    .select(keyColumns)
    .from(keys)
    .innerJoin(members, eq(members.id, keys.memberId))
    .where(eqParam(members.organizationId, "organizationId"))
    .orderBy(asc(keys.id)),
);

export function selectKeys(db: Database, organizationId: number): Promise<Key[]> {
  return keysByOrganization(db).all({ organizationId });
}

/** SQL: the condition, or true if the value with this name is null. */
const unlessNull = (name: string, condition: SQL) => or(sql`${param(name)} IS NULL`, condition);

const isInScope = and(
  eqParam(members.organizationId, "organizationId"),
  unlessNull("memberId", eqParam(keys.memberId, "memberId")),
);
const hasEnded = sql`(${keys.revokedAt} IS NOT NULL OR coalesce(${keys.expiresAt} <= ${param("nowMs")}, 0))`;

/** Keys of an organization, or of one of its members. */
export interface KeyScope {
  organizationId: number;
  /** Null for all members. */
  memberId: number | null;
}

export interface KeySelection extends KeyScope {
  /** True for keys that will never work again, false for the others, null for both. */
  areEnded: boolean | null;
  nowMs: number;
  /** Only keys below this number; null for no bound. */
  before: number | null;
  limit: number;
}

const newestKeys = query((db) =>
  db
    .select(keyColumns)
    .from(keys)
    .innerJoin(members, eq(members.id, keys.memberId))
    .where(
      and(
        isInScope,
        unlessNull("areEnded", sql`${hasEnded} = ${param("areEnded")}`),
        unlessNull("before", lt(keys.id, param("before"))),
      ),
    )
    .orderBy(desc(keys.id))
    .limit(param("limit")),
);

/** Newest first. */
export function selectNewestKeys(
  db: Database,
  { areEnded, ...selection }: KeySelection,
): Promise<Key[]> {
  const flag = areEnded === null ? null : Number(areEnded);
  return newestKeys(db).all({ ...selection, areEnded: flag });
}

const lastUsedKeys = query((db) =>
  db
    .select(keyColumns)
    .from(keys)
    .innerJoin(members, eq(members.id, keys.memberId))
    .where(isInScope)
    .orderBy(sql`${keys.lastUsedAt} IS NULL`, desc(keys.lastUsedAt), asc(keys.id))
    .limit(param("limit")),
);

/** Most recently used first; keys that were never used come last. */
export function selectLastUsedKeys(
  db: Database,
  selection: KeyScope & { limit: number },
): Promise<Key[]> {
  return lastUsedKeys(db).all({ ...selection });
}

const keyInScope = query((db) =>
  db
    .select(keyColumns)
    .from(keys)
    .innerJoin(members, eq(members.id, keys.memberId))
    .where(and(eqParam(keys.id, "id"), isInScope)),
);

/** A key of an organization or member, by its number. */
export function selectKeyOf(
  db: Database,
  selection: KeyScope & { id: number },
): Promise<Key | undefined> {
  return keyInScope(db).get({ ...selection });
}

const keysByName = query((db) =>
  db
    .select(keyColumns)
    .from(keys)
    .where(or(eqParam(keys.prefix, "text"), eqParam(keys.name, "text")))
    .orderBy(asc(keys.id)),
);

/** Keys with this prefix or name. */
export function selectKeysNamed(db: Database, text: string): Promise<Key[]> {
  return keysByName(db).all({ text });
}

export async function insertKey(
  tx: Transaction,
  { hash, ...row }: Omit<Key, "id"> & { hash: string },
): Promise<Key> {
  const values = { ...row, hash: toBytes(hash) };
  const [made] = await tx.builders.insert(keys).values(values).returning(keyColumns);
  return made as Key;
}

export async function updateExpiry(tx: Transaction, id: number, expiresAt: number): Promise<void> {
  await tx.builders.update(keys).set({ expiresAt }).where(eq(keys.id, id));
}

export async function updateRevoked(tx: Transaction, id: number, revokedAt: number): Promise<void> {
  await tx.builders.update(keys).set({ revokedAt }).where(eq(keys.id, id));
}

/** A hash in the form in which it is stored. */
export function toBytes(hash: string): Buffer {
  return Buffer.from(hash, "base64");
}

/** Records when a key was last used, in the transaction of its usage. */
export function recordKeyUse(tx: Transaction, keyId: number, usedAt: number): void {
  statement(tx, "UPDATE keys SET last_used_at = ? WHERE id = ?").run(usedAt, keyId);
}
