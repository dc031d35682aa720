import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

interface ReceivedMail {
  /** Sender of the envelope. */
  sender: string;
  /** Recipients of the envelope. */
  recipients: string[];
  /** The message as it was received: head, empty line, body. */
  raw: string;
}

export interface SmtpReceiver {
  /** `smtp://127.0.0.1:<port>` */
  url: string;
  mails: ReceivedMail[];
  close(): Promise<void>;
}

export interface SmtpReceiverOptions {
  /** Whether it refuses a recipient. */
  rejects?: (address: string) => boolean;
  /** Never greets, or never acknowledges a message. */
  hangs?: "greeting" | "message";
}

/** A real SMTP server on a free port of 127.0.0.1, without TLS, that records what it receives. */
export async function startSmtpReceiver({
  rejects = () => false,
  hangs,
}: SmtpReceiverOptions = {}): Promise<SmtpReceiver> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 1,
    onConnect(_session, done) {
      if (hangs !== "greeting") done();
    },
    onRcptTo({ address }, _session, done) {
      done(rejects(address) ? new Error("no such mailbox") : null);
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (hangs === "message") return;
        mails.push({
          sender: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          recipients: envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString("utf8"),
        });
        done();
      });
    },
  });
  // A client that disconnects in the middle must not fail a test.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
