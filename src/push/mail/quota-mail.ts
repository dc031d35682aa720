import { requireOrganization } from "../../customers/accounts/accounts.ts";
import { periodAt } from "../../customers/accounts/plan.ts";
import type { QuotaNotice } from "../../customers/limits/quota-notices.ts";
import { named, tellOperator } from "../../customers/operator-events/operator-events.store.ts";
import { transaction } from "../../db/transaction.ts";
import { onOneLine } from "../../ports/mail.ts";
import { message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import { noticeMail } from "./notice-mail.ts";
import { mailManagers } from "./notice-recipients.ts";
import { noteQuotaMail } from "./quota-mails.store.ts";

/**
 * Queues the mail about an organization's used quota to its owners and administrators, once per period and
 * level: the record and the mails are one transaction.
 */
export const queueQuotaMail = transaction(
  "quota-mail",
  async (tx, clock, { quota, ...notice }: QuotaNotice) => {
    if (!(await noteQuotaMail(tx, notice))) return;
    const { organizationId, periodStartedAt, percent } = notice;
    const organization = await requireOrganization(tx, organizationId);
    const of = { organization: onOneLine(organization.name), percent };
    const { endsAt } = periodAt(periodStartedAt, periodStartedAt);
    const mail = noticeMail(
      message("quotaMailSubject", of),
      message(percent < 100 ? "quotaMail" : "quotaOverMail", of),
      [
        [message("requestUnits"), String(quota)],
        [message("periodEnd"), formatInstant(endsAt)],
      ],
    );
    await mailManagers(tx, clock.now(), organizationId, mail);
    if (percent < 100) return;
    await tellOperator(tx, clock.now(), "quota.reached", {
      organization: named(organization),
      quota,
      period_ends_at: formatInstant(endsAt),
    });
  },
);
