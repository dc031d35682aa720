import type { TellSubscription } from "../../customers/selling/subscription-changes.ts";
import { message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";
import { mailManagers, noticeMail } from "./notices.ts";

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
  const of = { organization, plan };
  const ends =
    givenUntil === null ? [] : [[message("planEnd"), formatInstant(givenUntil)] as const];
  await mailManagers(tx, nowMs, id, noticeMail(message(subject, of), message(text, of), ends));
};
