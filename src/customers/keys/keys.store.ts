import { asc, eq, getTableColumns, sql } from "drizzle-orm";
import { type Database, statement } from "../../db/database.ts";
import { members, organizations } from "../accounts/accounts.table.ts";
import { type Key, keys } from "./keys.table.ts";

const { hash: _hash, ...keyColumns } = getTableColumns(keys);

export function createKeysStore(db: Database) {
  const byHash = db
    .select({ key: keyColumns, member: members, organization: organizations })
    .from(keys)
    .innerJoin(members, eq(members.id, keys.memberId))
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eq(keys.hash, sql.placeholder("hash")))
    .prepare();

  const version = statement<{ version: number }>(db, "SELECT version FROM accounts_version");

  return {
    /** A number that changes whenever a plan, organization, member or key does. */
    accountsVersion: (): number => version.get()?.version ?? 0,

    holder: (hash: string) => byHash.get({ hash: toBytes(hash) }),

    key(id: number): Key | undefined {
      return db.select(keyColumns).from(keys).where(eq(keys.id, id)).get();
    },

    keysOf(organizationId: number): Key[] {
      return db
        .select(keyColumns)
        .from(keys)
        .innerJoin(members, eq(members.id, keys.memberId))
        .where(eq(members.organizationId, organizationId))
        .orderBy(asc(keys.id))
        .all();
    },

    addKey({ hash, ...row }: Omit<Key, "id"> & { hash: string }): Key {
      const values = { ...row, hash: toBytes(hash) };
      return db.insert(keys).values(values).returning(keyColumns).get();
    },

    revokeKey(id: number, revokedAt: number): void {
      db.update(keys).set({ revokedAt }).where(eq(keys.id, id)).run();
    },
  };
}

/** As a hash is stored. */
function toBytes(hash: string): Buffer {
  return Buffer.from(hash, "base64");
}

/** Writes when a key was last used, in the caller's transaction. */
export function recordKeyUse(db: Database, keyId: number, usedAt: number): void {
  db.update(keys).set({ lastUsedAt: usedAt }).where(eq(keys.id, keyId)).run();
}
