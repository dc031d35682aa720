import { and, eq } from "drizzle-orm";
import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { change, query } from "../../db/statement.ts";

export const operatorRequests = sqliteTable(
  "operator_requests",
  {
    keyId: integer("key_id").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    request: text("request").notNull(),
    startedAt: integer("started_at").notNull(),
    isDone: integer("is_done", { mode: "boolean" }).notNull().default(false),
    status: integer("status"),
    body: blob("body", { mode: "buffer" }),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.idempotencyKey] })],
);

type OperatorRequest = typeof operatorRequests.$inferSelect;

/** Which request: by the key of the operator's API and the hash of the caller's own. */
export type RequestName = Pick<OperatorRequest, "keyId" | "idempotencyKey">;

/** A request that is carried out now; one that begins later under its name is another. */
export type RequestClaim = RequestName & Pick<OperatorRequest, "startedAt">;

const isNamed = ({ keyId, idempotencyKey }: RequestName) =>
  and(eq(operatorRequests.keyId, keyId), eq(operatorRequests.idempotencyKey, idempotencyKey));

const isClaimed = (claim: RequestClaim) =>
  and(isNamed(claim), eq(operatorRequests.startedAt, claim.startedAt));

export const selectRequest = query((db, name: RequestName) =>
  db.select().from(operatorRequests).where(isNamed(name)),
).one;

type Begun = RequestClaim & Pick<OperatorRequest, "request">;

export const upsertRequest = change((db, { keyId, idempotencyKey, request, startedAt }: Begun) =>
  db
    .insert(operatorRequests)
    .values({ keyId, idempotencyKey, request, startedAt })
    .onConflictDoUpdate({
      target: [operatorRequests.keyId, operatorRequests.idempotencyKey],
      set: { request, startedAt, isDone: false, status: null, body: null },
    }),
).run;

export const deleteRequest = change((db, claim: RequestClaim) =>
  db.delete(operatorRequests).where(and(isClaimed(claim), eq(operatorRequests.isDone, false))),
).run;

export const updateRequestDone = change((db, claim: RequestClaim) =>
  db.update(operatorRequests).set({ isDone: true }).where(isClaimed(claim)),
).wrote;

type Answered = RequestClaim & Pick<OperatorRequest, "status" | "body">;

export const updateRequestAnswered = change(
  (db, { keyId, idempotencyKey, startedAt, status, body }: Answered) =>
    db
      .update(operatorRequests)
      .set({ status, body })
      .where(isClaimed({ keyId, idempotencyKey, startedAt })),
).run;
