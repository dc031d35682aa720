import { change } from "../../db/query.ts";
import { quotaMails } from "./quota-mails.table.ts";

/** Records the mail about a period and level. @returns false if it was already recorded */
export const noteQuotaMail = change(
  (db, { organizationId, periodStartedAt, percent }: typeof quotaMails.$inferSelect) =>
    db
      .insert(quotaMails)
      .values({ organizationId, periodStartedAt, percent })
      .onConflictDoNothing(),
).wrote;
