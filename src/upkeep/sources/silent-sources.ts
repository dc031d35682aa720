import { isSilent } from "../../catalog/sources/source-schedule.ts";
import { selectSources, updateSource } from "../../catalog/sources/sources.store.ts";
import { selectStaffEmails } from "../../customers/people/people.store.ts";
import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { queueMail } from "../../push/mail/mails.store.ts";
import { noticeMail } from "../../push/mail/notice-mail.ts";
import { inEnglish, message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";

/** Queues a mail to staff about each source that has fallen silent: once, until it succeeds again. */
export async function queueSilentSourceMails(db: Database, clock: Clock): Promise<void> {
  const now = clock.now();
  const isNews = (await selectSources(db)).some((one) => !one.isNotified && isSilent(one, now));
  if (!isNews) return;
  await inTransaction(db, clock, "source-mail", async (tx) => {
    const silent = (await selectSources(tx)).filter((one) => !one.isNotified && isSilent(one, now));
    const emails = await selectStaffEmails(tx);
    // Without anybody to mail, the sources stay unreported, so that the first staff member gets the mail.
    if (emails.length === 0) return;
    for (const { id, name, succeededAt, createdAt, failure } of silent) {
      const mail = noticeMail(
        message("sourceSilentSubject", { name }),
        message("sourceSilentMail"),
        [
          [message("lastSuccess"), formatInstant(succeededAt ?? createdAt)],
          [message("lastError"), failure === null ? "" : inEnglish(failure)],
        ],
      );
      for (const email of emails) await queueMail(tx, now, { to: [email], ...mail });
      await updateSource(tx, id, { isNotified: true });
    }
  });
}

const NAMED_MAX = 5;

/** Warning shown while sources are silent; null if none is. */
export async function silentWarning(db: Database, nowMs: number): Promise<string | null> {
  const silent = (await selectSources(db)).filter((source) => isSilent(source, nowMs));
  if (silent.length === 0) return null;
  const names = silent.slice(0, NAMED_MAX).map(({ name }) => name);
  const others = silent.length - names.length;
  const all = names.join(", ") + (others === 0 ? "" : ` and ${others} more`);
  return `Silent for three of their intervals: ${all}. \`kanalog source list\` says why.`;
}
