import type { Transaction } from "../../db/database.ts";
import { allGiven, change } from "../../db/query.ts";
import { quotaMails } from "./quota-mails.table.ts";

const add = change((db) =>
  db
    .insert(quotaMails)
    .values(allGiven("organizationId", "periodStartedAt", "percent"))
    .onConflictDoNothing(),
);

/** Notes a mail of a period and level. @returns false where there was one already */
export async function noteQuotaMail(
  tx: Transaction,
  mail: { organizationId: number; periodStartedAt: number; percent: number },
): Promise<boolean> {
  return (await add(tx).run(mail)).changes > 0;
}
