import { and, asc, desc, eq, getTableColumns, lt, or, type SQL, sql } from "drizzle-orm";
import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type Database, statement, type Transaction } from "../../db/database.ts";
import { query } from "../../db/statement.ts";
import { members, organizations } from "../accounts/accounts.table.ts";
import type { KeyAccess } from "./key-token.ts";

export const keys = sqliteTable("keys", {
  id: integer("id").primaryKey(),
  memberId: integer("member_id").notNull(),
  name: text("name").notNull(),
  prefix: text("prefix").notNull(),
  hash: blob("hash", { mode: "buffer" }).notNull(),
  access: text("access").$type<KeyAccess>().notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  lastUsedAt: integer("last_used_at"),
  revokedAt: integer("revoked_at"),
});

/** A key without its hash, which only the store may see. */
export type Key = Omit<typeof keys.$inferSelect, "hash">;

const { hash: _hash, ...ownColumns } = getTableColumns(keys);
export const keyColumns = ownColumns;

const holderByHash = query((db, { hash }: { hash: Buffer }) =>
  db
    .select({ key: keyColumns, member: members, organization: organizations })
    .from(keys)
    .innerJoin(members, eq(members.id, keys.memberId))
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eq(keys.hash, hash)),
).one;

/** A key with its member and organization, read in the tick's snapshot. */
export function selectHolderNow(db: Database, hash: string) {
  return holderByHash(db, { hash: toBytes(hash) });
}

/** A number that changes whenever a plan, organization, member or key is updated, except by a key's use. */
export function accountsVersionNow(db: Database): number {
  const version = statement<{ version: number }>(db, "SELECT version FROM accounts_version");
  return version.get()?.version ?? 0;
}

export const selectKey = query((db, { id }: { id: number }) =>
  db.select(keyColumns).from(keys).where(eq(keys.id, id)),
).one;

export const selectKeys = query((db, { organizationId }: { organizationId: number }) =>
  db
    .select(keyColumns)
    .from(keys)
    .innerJoin(members, eq(members.id, keys.memberId))
    .where(eq(members.organizationId, organizationId))
    .orderBy(asc(keys.id)),
).all;

/** SQL: the condition, or true if the value is null. */
const unlessNull = (value: unknown, condition: SQL) => or(sql`${value} IS NULL`, condition);

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

const isInScope = ({ organizationId, memberId }: KeyScope) =>
  and(
    eq(members.organizationId, organizationId),
    unlessNull(memberId, eq(keys.memberId, memberId as number)),
  );

type Newest = Omit<KeySelection, "areEnded"> & { areEnded: number | null };

const newestKeys = query(
  (db, { organizationId, memberId, areEnded, nowMs, before, limit }: Newest) => {
    const hasEnded = sql`(${keys.revokedAt} IS NOT NULL OR coalesce(${keys.expiresAt} <= ${nowMs}, 0))`;
    return db
      .select(keyColumns)
      .from(keys)
      .innerJoin(members, eq(members.id, keys.memberId))
      .where(
        and(
          isInScope({ organizationId, memberId }),
          unlessNull(areEnded, sql`${hasEnded} = ${areEnded}`),
          unlessNull(before, lt(keys.id, before as number)),
        ),
      )
      .orderBy(desc(keys.id))
      .limit(limit);
  },
).all;

/** Newest first. */
export function selectNewestKeys(db: Database, { areEnded, ...selection }: KeySelection): Key[] {
  const flag = areEnded === null ? null : Number(areEnded);
  return newestKeys(db, { ...selection, areEnded: flag });
}

/** Keys that were never used come last. */
export const selectLastUsedKeys = query(
  (db, { organizationId, memberId, limit }: KeyScope & { limit: number }) =>
    db
      .select(keyColumns)
      .from(keys)
      .innerJoin(members, eq(members.id, keys.memberId))
      .where(isInScope({ organizationId, memberId }))
      .orderBy(sql`${keys.lastUsedAt} IS NULL`, desc(keys.lastUsedAt), asc(keys.id))
      .limit(limit),
).all;

export const selectKeyOf = query(
  (db, { id, organizationId, memberId }: KeyScope & { id: number }) =>
    db
      .select(keyColumns)
      .from(keys)
      .innerJoin(members, eq(members.id, keys.memberId))
      .where(and(eq(keys.id, id), isInScope({ organizationId, memberId }))),
).one;

export const selectKeysNamed = query((db, { text }: { text: string }) =>
  db
    .select(keyColumns)
    .from(keys)
    .where(or(eq(keys.prefix, text), eq(keys.name, text)))
    .orderBy(asc(keys.id)),
).all;

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

export function toBytes(hash: string): Buffer {
  return Buffer.from(hash, "base64");
}

export function recordKeyUse(tx: Transaction, keyId: number, usedAt: number): void {
  statement(tx, "UPDATE keys SET last_used_at = ? WHERE id = ?").run(usedAt, keyId);
}
