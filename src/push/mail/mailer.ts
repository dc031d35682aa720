import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Mail } from "../../ports/mail.ts";
import type { Random } from "../../ports/random.ts";
import type { ClaimedMail, EndedMail } from "./mails.store.ts";

/** The queue, on whatever thread writes it. */
interface MailQueue {
  isDue(nowMs: number): Promise<boolean>;
  claim(claim: string): Promise<ClaimedMail | null>;
  end(ended: EndedMail): Promise<boolean>;
}

export type Mailer = ReturnType<typeof createMailer>;

/**
 * Sends what is queued, one message after the other.
 * @param mail null where no mail server is set: a message is then told in the log and forgotten
 */
export function createMailer(
  queue: MailQueue,
  mail: Mail | null,
  { clock, random, log }: { clock: Clock; random: Random; log: Log },
) {
  async function send({ to, subject, text, html }: ClaimedMail): Promise<boolean> {
    if (mail === null) {
      log.warn({ to, subject }, "a mail is not sent, since KANALOG_SMTP_URL is not set");
      return true;
    }
    try {
      await mail.send({ to, subject, text, html });
      return true;
    } catch (error) {
      log.warn({ err: error, subject }, "a mail could not be sent; it is tried again");
      return false;
    }
  }

  async function sendNext(): Promise<boolean> {
    const claimed = await queue.claim(random.uuid(clock.now()));
    if (claimed === null) return false;
    const isSent = await send(claimed);
    const { id, claim, subject, to } = claimed;
    const isGivenUp = await queue.end({ id, claim, isSent, endedAt: clock.now() });
    if (isGivenUp) log.error({ subject, to }, "a mail was given up");
    return true;
  }

  let isStopping = false;

  return {
    /** Begins no other message. */
    stop(): void {
      isStopping = true;
    },

    /** Sends all that is due. Never throws. */
    async runDue(): Promise<void> {
      try {
        while (!isStopping && (await queue.isDue(clock.now())) && (await sendNext()));
      } catch (error) {
        log.warn({ err: error }, "mails could not be taken from their queue; it is tried again");
      }
    },
  };
}
