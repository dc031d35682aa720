import { isSilent } from "../../catalog/sources/source-schedule.ts";
import { selectSources, updateSource } from "../../catalog/sources/sources.store.ts";
import { tellOperator } from "../../customers/operator-events/operator-events.store.ts";
import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { mailStaff, noticeMail } from "../../push/mail/notices.ts";

import { selectOperatorWebhooks } from "../../push/webhooks/manage/webhooks.store.ts";
import { inEnglish, message } from "../../values/messages/messages.ts";
import { formatInstant } from "../../values/moscow-time.ts";

/** Tells staff and the operator of each source that has fallen silent: once, until it succeeds again. */
export async function queueSilentSourceMails(db: Database, clock: Clock): Promise<void> {
  const now = clock.now();
  const isNews = (await selectSources(db)).some((one) => !one.isNotified && isSilent(one, now));
  if (!isNews) return;
  await inTransaction(db, clock, "source-mail", async (tx) => {
    const silent = (await selectSources(tx)).filter((one) => !one.isNotified && isSilent(one, now));
    const isHeard = (await selectOperatorWebhooks(tx)).length > 0;
    for (const { id, name, succeededAt, createdAt, failure } of silent) {
      const lastSuccess = formatInstant(succeededAt ?? createdAt);
      const lastError = failure === null ? "" : inEnglish(failure);
      const mail = noticeMail(
        message("sourceSilentSubject", { name }),
        message("sourceSilentMail"),
        [
          [message("lastSuccess"), lastSuccess],
          [message("lastError"), lastError],
        ],
      );
      // Without anybody to tell, a source stays unreported, so that the first staff member gets the mail.
      if (!(await mailStaff(tx, now, mail)) && !isHeard) return;
      const facts = { source: { id, name }, last_success_at: lastSuccess, last_error: lastError };
      await tellOperator(tx, now, "source.silent", facts);
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
