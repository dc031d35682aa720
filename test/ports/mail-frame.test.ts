import { afterEach, beforeEach, expect, test } from "bun:test";
import { readConfig } from "../../src/config.ts";
import { systemPorts } from "../../src/ports/ports.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { mailParts } from "../support/mail-parts.ts";
import { type SmtpReceiver, startSmtpReceiver } from "../support/smtp-receiver.ts";

let receiver: SmtpReceiver;
let machine: Machine;
beforeEach(async () => {
  machine = createMachine();
  receiver = await startSmtpReceiver();
});
afterEach(async () => {
  await receiver.close();
  await machine.leave();
});

/** What arrives of a mail, under the operator's settings. */
async function received(settings: Record<string, string>): Promise<string> {
  const config = readConfig({
    ...{ KANALOG_DB: machine.database, KANALOG_LOG_LEVEL: "silent" },
    ...{ KANALOG_SMTP_URL: receiver.url, ...settings },
  });
  const message = {
    to: ["ada@example.com"],
    subject: "Hello",
    text: "Text.\n",
    html: "<p>Text.</p>",
  };
  await systemPorts(config).mail?.send(message);
  return receiver.mails[0]?.raw ?? "";
}

test("a mail has the operator's name, contact and legal links in both parts, as text", async () => {
  const raw = await received({
    KANALOG_BRAND: "Ada & <b>Co</b>",
    KANALOG_CONTACT: "help@example.com",
    KANALOG_LEGAL: "Terms=https://example.com/terms?a=1&b=2",
  });
  const [plain, html] = mailParts(raw).parts.map(({ text }) => text);
  expect(plain).toBe(
    "Text.\n\n-- \nAda & <b>Co</b>\nhelp@example.com\nTerms: https://example.com/terms?a=1&b=2\n",
  );
  expect(html).toContain("<p>Text.</p>");
  expect(html).toContain("Ada &amp; &lt;b&gt;Co&lt;/b&gt;");
  expect(html).not.toContain("<b>");
  expect(html).toContain('href="mailto:help@example.com"');
  expect(html).toContain('href="https://example.com/terms?a=1&amp;b=2"');
});

test("a logo that mail programs show travels with the mail; others are named", async () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==",
    "base64",
  );
  const logo = machine.write("logo.png", png);
  const raw = await received({ KANALOG_LOGO: logo, KANALOG_BRAND: "Ada" });
  expect(raw).toContain("multipart/related");
  expect(raw).toMatch(/Content-Id: <logo>/i);
  expect(raw.replace(/\r\n/g, "")).toContain(png.toString("base64"));
});
