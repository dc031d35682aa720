import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Message } from "../../ports/mail.ts";
import { countMails, queueMail } from "./mails.store.ts";

export type Mails = ReturnType<typeof createMails>;

/** Messages that nothing else is written with. */
export function createMails(db: Database, clock: Clock, canSend: boolean) {
  return {
    /** False where no mail server is set: the inviter copies links by hand then. */
    canSend,
    queued: async (): Promise<number> => countMails(db),
    queue: (message: Message): Promise<void> =>
      inTransaction(db, clock, "mail-queue", () => queueMail(db, clock.now(), message)),
  };
}
