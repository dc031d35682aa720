import { MAIL } from "./own-work.ts";

export interface Mail {
  /** @throws if the server did not accept it for all recipients within 60 s */
  send(message: Message): Promise<void>;
  /** Connects and signs in, and sends nothing. @throws if the server cannot be reached, or refuses */
  tryOut(): Promise<void>;
}

export interface Message {
  /** Plain addresses, each visible to the others. */
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
  /** Address of the page that ends mails of this kind, for the mail program's own button. */
  unsubscribe?: string | null;
  /** Pictures that the HTML shows, by its `cid:` addresses. */
  pictures?: readonly { cid: string; content: Uint8Array; type: string }[];
}

/**
 * Makes text chosen by users safe to embed in other text: removes line breaks, and characters that reverse
 * the direction of the surrounding text.
 */
export function onOneLine(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** Has mail programs end the mails by a request of their own, without opening the page (RFC 8058). */
const ONE_CLICK = { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };

/**
 * Sends mails over SMTP.
 * @param smtpUrl `smtp://` (with STARTTLS if the server offers it) or `smtps://`; its query may contain
 * nodemailer options, which override those set here
 * @param from an address, or `Name <address>`
 */
export function systemMail(smtpUrl: string, from: string): Mail {
  let opening: ReturnType<typeof openTransport> | null = null;
  return {
    async tryOut() {
      opening ??= openTransport(smtpUrl);
      await (await opening).verify();
    },
    async send({ to, subject, text, html, unsubscribe, pictures = [] }) {
      // Passed as objects, so that a comma or angle bracket in an address cannot add a recipient.
      const recipients = to.map((address) => ({ name: "", address }));
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), MAIL.maxMs);
      const attachments = pictures.map(({ cid, content, type }) => ({
        ...{ cid, content: Buffer.from(content), contentType: type },
      }));
      const message = {
        ...{ from, to: recipients, subject, text, html, attachments, signal: controller.signal },
        ...(unsubscribe && { list: { unsubscribe }, headers: ONE_CLICK }),
      };
      opening ??= openTransport(smtpUrl);
      const transport = await opening;
      const { rejected } = await transport
        .sendMail(message)
        .catch((error) => {
          // nodemailer throws if all recipients were rejected, but not if only some were.
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

/** Loaded with the first message, since commands send none. */
async function openTransport(url: string) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    dnsTimeout: MAIL.silenceMaxMs,
    connectionTimeout: MAIL.silenceMaxMs,
    greetingTimeout: MAIL.silenceMaxMs,
    socketTimeout: MAIL.silenceMaxMs,
    // No part of a message may be treated as a path or URL to read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
