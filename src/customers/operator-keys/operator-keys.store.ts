import { asc, eq, getTableColumns } from "drizzle-orm";
import { change, query } from "../../db/statement.ts";
import { type OperatorKey, operatorKeys } from "./operator-keys.table.ts";

const { hash: _hash, ...columns } = getTableColumns(operatorKeys);

export const selectOperatorKeyByHash = query((db, { hash }: { hash: Buffer }) =>
  db.select(columns).from(operatorKeys).where(eq(operatorKeys.hash, hash)),
).one;

export const selectOperatorKey = query((db, { id }: { id: number }) =>
  db.select(columns).from(operatorKeys).where(eq(operatorKeys.id, id)),
).one;

export const selectOperatorKeys = query((db) =>
  db.select(columns).from(operatorKeys).orderBy(asc(operatorKeys.id)),
).all;

type NewKey = Omit<OperatorKey, "id" | "revokedAt"> & { hash: Buffer };

export const insertOperatorKey = change(
  (db, { name, prefix, hash, can, createdAt, expiresAt }: NewKey) =>
    db
      .insert(operatorKeys)
      .values({ name, prefix, hash, can, createdAt, expiresAt })
      .returning(columns),
).one;

export const updateOperatorKeyRevoked = change(
  (db, { id, revokedAt }: { id: number; revokedAt: number }) =>
    db.update(operatorKeys).set({ revokedAt }).where(eq(operatorKeys.id, id)),
).run;
