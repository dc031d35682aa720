import { noticeMail } from "../../push/mail/notice-mail.ts";
import { message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";

/** The mail to staff when the daily backup could not be written. */
export function failedBackupMail(
  folder: string,
  reason: string,
  failedAt: number,
): { subject: string; text: string; html: string } {
  return noticeMail(message("backupFailedSubject"), message("backupFailedMail"), [
    [message("folder"), folder],
    [message("time"), formatInstant(failedAt)],
    [message("reason"), reason],
  ]);
}
