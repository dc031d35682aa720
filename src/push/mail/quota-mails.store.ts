import type { Transaction } from "../../db/database.ts";
import { allParams, change } from "../../db/query.ts";
import { quotaMails } from "./quota-mails.table.ts";

const add = change((db) =>
  db
    .insert(quotaMails)
    .values(allParams("organizationId", "periodStartedAt", "percent"))
    .onConflictDoNothing(),
);

/** Records the mail about a period and level. @returns false if it was already recorded */
export async function noteQuotaMail(
  tx: Transaction,
  mail: { organizationId: number; periodStartedAt: number; percent: number },
): Promise<boolean> {
  return (await add(tx).run(mail)).changes > 0;
}
