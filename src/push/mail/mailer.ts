import { type Bucket, takeToken } from "../../customers/limits/rates.ts";
import type { Database } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { transaction } from "../../db/transaction.ts";
import type { Mail, Message } from "../../ports/mail.ts";
import type { Ports } from "../../ports/ports.ts";
import type { ClaimedMail, mailQueue } from "./mails.store.ts";
import { countMails, isMailDue, queueMail } from "./mails.store.ts";

/** How often waiting messages are looked at while no mail server is configured. */
const LOOK_AGAIN_MS = 60 * 60 * 1000;

/**
 * How fast messages are sent that strangers asked for: so many at once, and then one every few seconds. All
 * networks share it without shutting each other out, because those that asked for least are first.
 */
const ASKED_AT_ONCE = 30;
const ASKED_PER_SECOND = 1 / 5;

export type Mailer = ReturnType<typeof createMailer>;

/** Sends queued messages, one after another. Without a mail server they wait for one, for a week at most. */
export function createMailer(
  db: Database,
  queue: Calls<typeof mailQueue>,
  { mail, clock, random, log }: Pick<Ports, "mail" | "clock" | "random" | "log">,
) {
  async function send(
    mail: Mail,
    { to, subject, text, html, unsubscribe = null }: ClaimedMail,
  ): Promise<boolean> {
    try {
      await mail.send({ to, subject, text, html, ...(unsubscribe !== null && { unsubscribe }) });
      return true;
    } catch (error) {
      log.warn({ err: error, subject }, "a mail could not be sent; it will be retried");
      return false;
    }
  }

  let bucket: Bucket | null = null;
  const takeAsked = () => takeToken(bucket, ASKED_PER_SECOND, clock.now(), ASKED_AT_ONCE);

  /** Sends one due message. @returns false if none is due, or another process has claimed it */
  async function sendNext(mail: Mail): Promise<boolean> {
    const taken = { isAskedTaken: takeAsked().allowed };
    if (!(await isMailDue(db, clock.now(), taken))) return false;
    const claimed = await queue.claimMail(random.uuid(clock.now()), taken);
    if (claimed === null) return false;
    if (claimed.rank > 0) bucket = takeAsked().bucket;
    const isSent = await send(mail, claimed);
    const { id, claim, subject, to } = claimed;
    const isGivenUp = await queue.endMail({ id, claim, isSent, endedAt: clock.now() });
    if (isGivenUp) log.error({ subject, to }, "a mail was given up");
    return true;
  }

  let hasWarned = false;
  let lookAgainMs = 0;

  /** Logs once that messages are waiting, and drops those that have waited too long. */
  async function leaveWaiting(): Promise<void> {
    if (
      clock.monotonic() < lookAgainMs ||
      !(await isMailDue(db, clock.now(), { isAskedTaken: true }))
    )
      return;
    lookAgainMs = clock.monotonic() + LOOK_AGAIN_MS;
    if (!hasWarned) log.warn({}, "mails wait to be sent until KANALOG_SMTP_URL is set");
    hasWarned = true;
    const dropped = await queue.dropOldMails();
    if (dropped > 0) log.warn({ dropped }, "mails that waited for a week were given up");
  }

  let isStopping = false;

  return {
    /** Starts no further message. */
    stop(): void {
      isStopping = true;
    },

    /** Sends everything that is due. Never throws. */
    async runDue(): Promise<void> {
      try {
        if (mail === null) await leaveWaiting();
        else while (!isStopping && (await sendNext(mail)));
      } catch (error) {
        log.warn({ err: error }, "queued mails could not be read; they will be read again");
      }
    },
  };
}

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
  return { canSend, queued: async (): Promise<number> => countMails(db), queue };
}

/**
 * Queues a message in a transaction of its own.
 * @param rank which of the mails that a stranger's network asked for it is, from 1; 0 if no stranger did
 */
export const addMail = transaction("mail-queue", (tx, clock, message: Message, rank?: number) =>
  queueMail(tx, clock.now(), message, rank),
);
