import { selectMembers, selectPlanNow } from "../../customers/accounts/accounts.store.ts";
import { requireOrganization } from "../../customers/accounts/accounts.ts";
import { offerOf, PLAN_CODES, type PlanCode, periodAt } from "../../customers/accounts/plan.ts";
import type { TellStaffOfRequest } from "../../customers/accounts/plan-requests.ts";
import type { QuotaNotice } from "../../customers/limits/usage.ts";
import { named, tellOperator } from "../../customers/operator-events/operator-events.store.ts";
import { selectLanguage, selectStaffEmails } from "../../customers/people/people.store.ts";
import type { TellSubscription } from "../../customers/selling/subscription-changes.ts";
import type { Transaction } from "../../db/database.ts";
import { transaction } from "../../db/transaction.ts";
import { onOneLine } from "../../ports/mail.ts";
import type { Language, Message } from "../../values/messages/messages.ts";
import { inEveryLanguage, inLanguage, message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import { noteQuotaMail, queueMail } from "./mails.store.ts";

/** A mail about an event, in a person's language; in every language if theirs is not known. */
export type Notice = (language: Language | null) => { subject: string; text: string; html: string };

/** A paragraph, followed by lines and named facts. */
export function noticeMail(
  subject: Message,
  paragraph: Message,
  facts: readonly (string | readonly [name: Message, value: string])[],
): Notice {
  return (language) => {
    const texts = (one: Message) =>
      language === null ? inEveryLanguage(one) : [{ language, text: inLanguage(language, one) }];
    /** On one line. */
    const joined = (one: Message): string =>
      texts(one)
        .map(({ text }) => text)
        .join(" / ");
    const paragraphs = texts(paragraph);
    const lines = facts.map((fact) =>
      typeof fact === "string" ? onOneLine(fact) : `${joined(fact[0])}: ${onOneLine(fact[1])}`,
    );
    const toHtml = (of: string, text: string): string =>
      `<p lang="${of}">${Bun.escapeHTML(text)}</p>`;
    return {
      subject: joined(subject),
      text: `${paragraphs.map(({ text }) => text).join("\n\n")}\n\n${lines.join("\n")}\n`,
      html: [
        ...paragraphs.map((one) => toHtml(one.language, one.text)),
        ...lines.map((line) => toHtml(language ?? "en", line)),
      ].join("\n"),
    };
  };
}

/** Queues a notice to somebody in their language. */
export async function queueNotice(
  tx: Transaction,
  nowMs: number,
  notice: Notice,
  { email, ...more }: { email: string; unsubscribe?: string },
): Promise<void> {
  const language = await selectLanguage(tx, { email });
  await queueMail(tx, nowMs, { to: [email], ...more, ...notice(language) });
}

/**
 * Queues a mail to an organization's owners and administrators, unless suspended, in the caller's
 * transaction. Each gets a message of their own: if a server refuses one recipient, the others must not get
 * theirs again.
 */
export async function mailManagers(
  tx: Transaction,
  nowMs: number,
  organizationId: number,
  notice: Notice,
): Promise<void> {
  for (const { email, role, suspendedAt } of await selectMembers(tx, { organizationId })) {
    if (role === "member" || suspendedAt !== null) continue;
    await queueNotice(tx, nowMs, notice, { email });
  }
}

/** Queues a mail to each of the operator's staff. @returns whether there is anybody */
export async function mailStaff(tx: Transaction, nowMs: number, notice: Notice): Promise<boolean> {
  const emails = await selectStaffEmails(tx);
  for (const email of emails) await queueNotice(tx, nowMs, notice, { email });
  return emails.length > 0;
}

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

/** A plan's name in a mail: an added one by the name that customers see, others by their code, which texts know. */
function planTold(tx: Transaction, code: PlanCode): string {
  if (PLAN_CODES.includes(code)) return code;
  const { en, ru } = offerOf(selectPlanNow(tx, code)).texts;
  return en.name ?? ru.name ?? code;
}

/** Queues the mail that an organization asks for another plan, to staff. */
export const queuePlanRequestMail: TellStaffOfRequest = async (
  tx,
  nowMs,
  { id, name },
  { plan, note, person },
) => {
  const of = { organization: onOneLine(name), plan: planTold(tx, plan) };
  const mail = noticeMail(
    message("planRequestMailSubject", of),
    message("planRequestMail", { ...of, id }),
    [
      [message("askedBy"), person],
      [message("askedNote"), note],
    ],
  );
  await mailStaff(tx, nowMs, mail);
};

const MESSAGES = {
  paid: ["subscriptionPaidSubject", "subscriptionPaidMail"],
  renewed: ["subscriptionRenewedSubject", "subscriptionRenewedMail"],
  failed: ["subscriptionFailedSubject", "subscriptionFailedMail"],
  ending: ["subscriptionEndingSubject", "subscriptionEndingMail"],
  over: ["subscriptionOverSubject", "subscriptionOverMail"],
} as const;

/** Queues the mail about what became of an organization's subscription to its owners and administrators. */
export const queueSubscriptionMail: TellSubscription = async (
  tx,
  nowMs,
  { id, name: organization },
  news,
  { plan, givenUntil },
) => {
  const [subject, text] = MESSAGES[news];
  const of = { organization, plan: planTold(tx, plan) };
  const ends =
    givenUntil === null ? [] : [[message("planEnd"), formatInstant(givenUntil)] as const];
  await mailManagers(tx, nowMs, id, noticeMail(message(subject, of), message(text, of), ends));
};
