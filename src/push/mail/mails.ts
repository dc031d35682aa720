import type { Database } from "../../db/database.ts";
import { transaction } from "../../db/transaction.ts";
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
  queue: (message: Message, rank?: number) => Promise<void>,
  canSend: boolean,
) {
  return { canSend, queued: (): Promise<number> => countMails(db), queue };
}

/**
 * Queues a message in a transaction of its own.
 * @param rank which of the mails that a stranger's network asked for it is, from 1; 0 if no stranger did
 */
export const addMail = transaction("mail-queue", (tx, clock, message: Message, rank?: number) =>
  queueMail(tx, clock.now(), message, rank),
);
