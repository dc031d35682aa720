import { asc, getTableColumns } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { allParams, change, eqParam, param, query } from "../../db/query.ts";
import { type OperatorKey, operatorKeys } from "./operator-keys.table.ts";

const { hash: _hash, ...columns } = getTableColumns(operatorKeys);

const byHash = query((db) =>
  db.select(columns).from(operatorKeys).where(eqParam(operatorKeys.hash, "hash")),
);

export function selectOperatorKeyByHash(
  db: Database,
  hash: Buffer,
): Promise<OperatorKey | undefined> {
  return byHash(db).get({ hash });
}

const byId = query((db) =>
  db.select(columns).from(operatorKeys).where(eqParam(operatorKeys.id, "id")),
);

export function selectOperatorKey(db: Database, id: number): Promise<OperatorKey | undefined> {
  return byId(db).get({ id });
}

const all = query((db) => db.select(columns).from(operatorKeys).orderBy(asc(operatorKeys.id)));

export function selectOperatorKeys(db: Database): Promise<OperatorKey[]> {
  return all(db).all();
}

const insert = change((db) =>
  db
    .insert(operatorKeys)
    .values(allParams("name", "prefix", "hash", "can", "createdAt", "expiresAt"))
    .returning(columns),
);

export async function insertOperatorKey(
  tx: Transaction,
  row: Omit<OperatorKey, "id" | "revokedAt"> & { hash: Buffer },
): Promise<OperatorKey> {
  return (await insert(tx).get(row)) as OperatorKey;
}

const revoke = change((db) =>
  db
    .update(operatorKeys)
    .set({ revokedAt: param("revokedAt") })
    .where(eqParam(operatorKeys.id, "id")),
);

export async function updateOperatorKeyRevoked(
  tx: Transaction,
  id: number,
  revokedAt: number,
): Promise<void> {
  await revoke(tx).run({ id, revokedAt });
}
