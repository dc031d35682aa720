import { onOneLine } from "../../../ports/mail.ts";
import { message } from "../../../values/messages/messages.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { noticeMail } from "../../mail/notice-mail.ts";
import type { Webhook } from "../manage/webhooks.table.ts";

/** The mail to owners and administrators when a webhook was disabled for its failures. */
export function disabledMail(
  { id, url, lastError, lastSuccessAt }: Webhook,
  organizationName: string,
): { subject: string; text: string; html: string } {
  const of = { id, organization: onOneLine(organizationName) };
  return noticeMail(message("webhookDisabledSubject", of), message("webhookDisabledMail", of), [
    [message("address"), url],
    [message("lastError"), lastError],
    [message("lastSuccess"), lastSuccessAt === null ? "—" : formatInstant(lastSuccessAt)],
  ]);
}
