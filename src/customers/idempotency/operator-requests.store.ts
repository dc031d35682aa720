import { and, eq } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { allParams, change, eqParam, param, query } from "../../db/query.ts";
import { type OperatorRequest, operatorRequests } from "./operator-requests.table.ts";

/** Which request: by the key of the operator's API and the hash of the caller's own. */
export type RequestName = Pick<OperatorRequest, "keyId" | "idempotencyKey">;

const isNamed = and(
  eqParam(operatorRequests.keyId, "keyId"),
  eqParam(operatorRequests.idempotencyKey, "idempotencyKey"),
);

const requestByName = query((db) => db.select().from(operatorRequests).where(isNamed));

export function selectRequest(
  db: Database,
  name: RequestName,
): Promise<OperatorRequest | undefined> {
  return requestByName(db).get(name);
}

const start = change((db) =>
  db
    .insert(operatorRequests)
    .values(allParams("keyId", "idempotencyKey", "request", "startedAt"))
    .onConflictDoUpdate({
      target: [operatorRequests.keyId, operatorRequests.idempotencyKey],
      set: { startedAt: param("startedAt") },
    }),
);

export async function upsertRequest(
  tx: Transaction,
  row: RequestName & Pick<OperatorRequest, "request" | "startedAt">,
): Promise<void> {
  await start(tx).run(row);
}

const drop = change((db) =>
  db.delete(operatorRequests).where(and(isNamed, eq(operatorRequests.isDone, false))),
);

/** Drops a request that changed nothing. */
export async function deleteRequest(tx: Transaction, name: RequestName): Promise<void> {
  await drop(tx).run({ ...name });
}

const done = change((db) => db.update(operatorRequests).set({ isDone: true }).where(isNamed));

export async function updateRequestDone(tx: Transaction, name: RequestName): Promise<void> {
  await done(tx).run({ ...name });
}

const answered = change((db) =>
  db
    .update(operatorRequests)
    .set({ status: param("status"), body: param("body") })
    .where(isNamed),
);

export async function updateRequestAnswered(
  tx: Transaction,
  answer: RequestName & { status: number; body: Buffer },
): Promise<void> {
  await answered(tx).run(answer);
}
