export interface Mail {
  /** @throws where the server did not take it, not for all recipients, or not within 60 s */
  send(message: Message): Promise<void>;
}

export interface Message {
  /** Bare addresses. Each of them sees the others. */
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
}

/**
 * Makes a text that users chose fit to stand among others: without line breaks, and without characters
 * that turn the writing direction of what stands around it.
 */
export function onOneLine(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** How long a server may be silent. */
const SILENCE_MAX_MS = 10_000;
/** How long a server that is not silent may take over one message. */
const SENDING_MAX_MS = 60_000;

/**
 * Sends mails over SMTP.
 * @param smtpUrl `smtp://` (STARTTLS where the server has it) or `smtps://`; its query may hold
 *   nodemailer's options, which override the ones here
 * @param from an address, or `Name <address>`
 */
export function systemMail(smtpUrl: string, from: string): Mail {
  let opening: ReturnType<typeof openTransport> | null = null;
  return {
    async send({ to, subject, text, html }) {
      // Objects, so that a comma or an angle bracket in an address makes no second recipient.
      const recipients = to.map((address) => ({ name: "", address }));
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), SENDING_MAX_MS);
      const message = { from, to: recipients, subject, text, html, signal: controller.signal };
      opening ??= openTransport(smtpUrl);
      const transport = await opening;
      const { rejected } = await transport
        .sendMail(message)
        .catch((error) => {
          // nodemailer throws where all recipients were rejected, but not where only some were.
          if (Array.isArray(error.rejected)) return error as { rejected: string[] };
          throw error;
        })
        .finally(() => clearTimeout(timer));
      if (rejected.length > 0) {
        throw new Error(`The mail server did not take the message for ${rejected.join(", ")}.`);
      }
    },
  };
}

/** The library is loaded with the first message: commands send none. */
async function openTransport(url: string) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    dnsTimeout: SILENCE_MAX_MS,
    connectionTimeout: SILENCE_MAX_MS,
    greetingTimeout: SILENCE_MAX_MS,
    socketTimeout: SILENCE_MAX_MS,
    // No part of a message is to be taken for a path or an address to read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
