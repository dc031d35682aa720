import { and, asc, eq, gt, lte, or } from "drizzle-orm";
import { change, query } from "../../../db/query.ts";
import { manualAttempts } from "./webhooks.table.ts";

/** Attempts of one organization at one host are counted together. */
interface OfHost {
  organizationId: number;
  host: string;
}

/** Removes attempts made until `from`, or after now. */
export const deleteOutdated = change((db, { from, nowMs }: { from: number; nowMs: number }) =>
  db
    .delete(manualAttempts)
    .where(or(lte(manualAttempts.attemptedAt, from), gt(manualAttempts.attemptedAt, nowMs))),
).run;

/** When an organization's attempts at a host were made, oldest first. */
export const selectInstants = query((db, { organizationId, host }: OfHost) =>
  db
    .select({ at: manualAttempts.attemptedAt })
    .from(manualAttempts)
    .where(and(eq(manualAttempts.organizationId, organizationId), eq(manualAttempts.host, host)))
    .orderBy(asc(manualAttempts.attemptedAt)),
).values;

export const insertManualAttempt = change(
  (db, { organizationId, host, attemptedAt }: OfHost & { attemptedAt: number }) =>
    db.insert(manualAttempts).values({ organizationId, host, attemptedAt }),
).run;
