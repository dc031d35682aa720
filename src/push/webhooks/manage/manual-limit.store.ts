import { and, asc, gt, lte, or } from "drizzle-orm";
import type { Database, Transaction } from "../../../db/database.ts";
import { allParams, change, eqParam, param, query } from "../../../db/query.ts";
import { manualAttempts } from "./webhooks.table.ts";

/** Attempts of one organization at one host are counted together. */
interface OfHost {
  organizationId: number;
  host: string;
}

const forgetOthers = change((db) =>
  db
    .delete(manualAttempts)
    .where(
      or(
        lte(manualAttempts.attemptedAt, param("from")),
        gt(manualAttempts.attemptedAt, param("nowMs")),
      ),
    ),
);

/** Removes attempts made until `from`, or after now. */
export async function deleteOutdated(tx: Transaction, from: number, nowMs: number): Promise<void> {
  await forgetOthers(tx).run({ from, nowMs });
}

const attemptsOfHost = query((db) =>
  db
    .select({ at: manualAttempts.attemptedAt })
    .from(manualAttempts)
    .where(
      and(
        eqParam(manualAttempts.organizationId, "organizationId"),
        eqParam(manualAttempts.host, "host"),
      ),
    )
    .orderBy(asc(manualAttempts.attemptedAt)),
);

/** When an organization's attempts at a host were made, oldest first. */
export async function selectInstants(db: Database, of: OfHost): Promise<number[]> {
  return (await attemptsOfHost(db).all({ ...of })).map(({ at }) => at);
}

const add = change((db) =>
  db.insert(manualAttempts).values({
    ...allParams("organizationId", "host"),
    attemptedAt: param("nowMs"),
  }),
);

export async function insertManualAttempt(
  tx: Transaction,
  of: OfHost,
  nowMs: number,
): Promise<void> {
  await add(tx).run({ ...of, nowMs });
}
