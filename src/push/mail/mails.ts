import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Message } from "../../ports/mail.ts";
import { countMails, queueMail } from "./mails.store.ts";

export type Mails = ReturnType<typeof createMails>;

/**
 * Mails for the site.
 * @param db where the queue is read
 * @param queue as `addMail` is run on a connection that writes
 * @param canSend false where no mail server is set: the inviter copies links by hand then
 */
export function createMails(
  db: Database,
  queue: (message: Message) => Promise<void>,
  canSend: boolean,
) {
  return { canSend, queued: (): Promise<number> => countMails(db), queue };
}

/** Queues a message that nothing else is written with. */
export function addMail(db: Database, clock: Clock, message: Message): Promise<void> {
  return inTransaction(db, clock, "mail-queue", (tx) => queueMail(tx, clock.now(), message));
}
