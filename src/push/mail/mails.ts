import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Message } from "../../ports/mail.ts";
import { countMails, queueMail } from "./mails.store.ts";

export type Mails = ReturnType<typeof createMails>;

/**
 * The mail queue, as the site uses it.
 * @param db for reading the queue
 * @param queue `addMail` on a writing connection
 * @param canSend false if no mail server is configured: inviters then copy links by hand
 */
export function createMails(
  db: Database,
  queue: (message: Message) => Promise<void>,
  canSend: boolean,
) {
  return { canSend, queued: (): Promise<number> => countMails(db), queue };
}

/** Queues a message in a transaction of its own. */
export function addMail(db: Database, clock: Clock, message: Message): Promise<void> {
  return inTransaction(db, clock, "mail-queue", (tx) => queueMail(tx, clock.now(), message));
}
