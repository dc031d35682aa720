import { and, eq } from "drizzle-orm";
import { change, query } from "../../db/query.ts";
import { type OperatorRequest, operatorRequests } from "./operator-requests.table.ts";

/** Which request: by the key of the operator's API and the hash of the caller's own. */
export type RequestName = Pick<OperatorRequest, "keyId" | "idempotencyKey">;

const isNamed = ({ keyId, idempotencyKey }: RequestName) =>
  and(eq(operatorRequests.keyId, keyId), eq(operatorRequests.idempotencyKey, idempotencyKey));

export const selectRequest = query((db, name: RequestName) =>
  db.select().from(operatorRequests).where(isNamed(name)),
).one;

type Begun = RequestName & Pick<OperatorRequest, "request" | "startedAt">;

export const upsertRequest = change((db, { keyId, idempotencyKey, request, startedAt }: Begun) =>
  db
    .insert(operatorRequests)
    .values({ keyId, idempotencyKey, request, startedAt })
    .onConflictDoUpdate({
      target: [operatorRequests.keyId, operatorRequests.idempotencyKey],
      set: { startedAt },
    }),
).run;

export const deleteRequest = change((db, name: RequestName) =>
  db.delete(operatorRequests).where(and(isNamed(name), eq(operatorRequests.isDone, false))),
).run;

export const updateRequestDone = change((db, name: RequestName) =>
  db.update(operatorRequests).set({ isDone: true }).where(isNamed(name)),
).run;

type Answered = RequestName & Pick<OperatorRequest, "status" | "body">;

export const updateRequestAnswered = change(
  (db, { keyId, idempotencyKey, status, body }: Answered) =>
    db.update(operatorRequests).set({ status, body }).where(isNamed({ keyId, idempotencyKey })),
).run;
