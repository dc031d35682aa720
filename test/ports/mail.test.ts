import { afterEach, expect, test } from "bun:test";
import { type Message, systemMail } from "../../src/ports/mail.ts";
import { mailParts } from "../support/mail-parts.ts";
import {
  type SmtpReceiver,
  type SmtpReceiverOptions,
  startSmtpReceiver,
} from "../support/smtp-receiver.ts";

const FROM = "Kanalog <no-reply@kanalog.test>";
const MESSAGE: Message = {
  to: ["ada@example.com", "bob@example.com"],
  subject: "Вебхук отключён",
  text: "Адрес не отвечает.\n.\nКонец.",
  html: "<p>Адрес не отвечает.</p>",
};

const receivers: SmtpReceiver[] = [];

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function receiverThat(options: SmtpReceiverOptions = {}): Promise<SmtpReceiver> {
  const receiver = await startSmtpReceiver(options);
  receivers.push(receiver);
  return receiver;
}

/** Header lines of a message, with folded ones joined. */
function headOf({ raw }: { raw: string }): string[] {
  const end = raw.indexOf("\r\n\r\n");
  return raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
}

test("a message reaches all its recipients, with sender, subject and text", async () => {
  const { url, mails } = await receiverThat();
  await systemMail(url, FROM).send(MESSAGE);

  expect(mails).toHaveLength(1);
  const [mail] = mails;
  if (mail === undefined) throw new Error("unreachable");
  expect(mail.sender).toBe("no-reply@kanalog.test");
  expect(mail.recipients).toEqual(["ada@example.com", "bob@example.com"]);
  const head = headOf(mail);
  expect(head).toContain("From: Kanalog <no-reply@kanalog.test>");
  expect(head).toContain("To: ada@example.com, bob@example.com");
  const words = [...mail.raw.matchAll(/=\?UTF-8\?B\?(.+?)\?=/g)].map(([, word]) => word ?? "");
  expect(words.map((word) => Buffer.from(word, "base64").toString()).join("")).toBe(
    MESSAGE.subject,
  );
  const { contentType, parts } = mailParts(mail.raw);
  expect(contentType).toStartWith("multipart/alternative");
  expect(parts.map(({ type, text }) => [type, text.trimEnd()])).toEqual([
    ["text/plain", MESSAGE.text],
    ["text/html", MESSAGE.html],
  ]);
});

test("a mail that can be ended says so to mail programs, with their own button (RFC 8058)", async () => {
  const { url, mails } = await receiverThat();
  const unsubscribe = "https://kanalog.example/account/alert-mails/?token=a";
  await systemMail(url, FROM).send({ ...MESSAGE, unsubscribe });
  await systemMail(url, FROM).send(MESSAGE);
  const [ends, other] = mails.map((mail) =>
    headOf(mail).filter((line) => line.startsWith("List-Unsubscribe")),
  );
  expect(ends?.toSorted()).toEqual([
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
    `List-Unsubscribe: <${unsubscribe}>`,
  ]);
  expect(other).toEqual([]);
});

test("sending fails if the server refuses one recipient, and the error names that one", async () => {
  const { url, mails } = await receiverThat({ rejects: (address) => address.startsWith("bob") });
  const sent = systemMail(url, FROM).send(MESSAGE);
  await expect(sent).rejects.toThrow("not take the message for bob@example.com.");
  expect(mails.map(({ recipients }) => recipients)).toEqual([["ada@example.com"]]);
});

test("sending fails if the server refuses all recipients, and the error names them", async () => {
  const { url, mails } = await receiverThat({ rejects: () => true });
  const sent = systemMail(url, FROM).send(MESSAGE);
  await expect(sent).rejects.toThrow("for ada@example.com, bob@example.com.");
  expect(mails).toEqual([]);
});

for (const hangs of ["greeting", "message"] as const) {
  test(`a server that hangs before its ${hangs} is done is given up`, async () => {
    const { url, mails } = await receiverThat({ hangs });
    const mail = systemMail(`${url}?greetingTimeout=300&socketTimeout=300`, FROM);
    const startedMs = performance.now();
    const failure = await mail.send(MESSAGE).catch((error) => error);
    expect(failure).toBeInstanceOf(Error);
    // By default, the library waits 30 seconds for a greeting, and ten minutes for anything else.
    expect(performance.now() - startedMs).toBeLessThan(25_000);
    expect(mails).toEqual([]);
  });
}

test("sending fails if there is no server", async () => {
  const receiver = await startSmtpReceiver();
  await receiver.close();
  await expect(systemMail(receiver.url, FROM).send(MESSAGE)).rejects.toThrow();
});

test("a line break in a subject adds no header and no recipient", async () => {
  const { url, mails } = await receiverThat();
  const mail = systemMail(url, FROM);
  for (const end of ["\r\n", "\n", "\r"]) {
    await mail.send({ ...MESSAGE, subject: `Hello${end}Bcc: eve@example.com${end}Text` });
  }
  expect(mails).toHaveLength(3);
  for (const received of mails) {
    expect(received.recipients).toEqual(["ada@example.com", "bob@example.com"]);
    expect(headOf(received).filter((line) => /^bcc/i.test(line))).toEqual([]);
    expect(headOf(received)).toContain("Subject: Hello Bcc: eve@example.com Text");
  }
});

test("an address with more in it than an address adds no recipient", async () => {
  const { url, mails } = await receiverThat();
  const mail = systemMail(url, FROM);
  const tricks = [
    "ada@example.com\r\nBcc: eve@example.com",
    "ada@example.com\r\nRCPT TO:<eve@example.com>",
    "ada@example.com, eve@example.com",
    "ada@example.com> , <eve@example.com",
    '"Ada" <ada@example.com>, eve@example.com',
  ];
  for (const address of tricks) await mail.send({ ...MESSAGE, to: [address] }).catch(() => {});
  for (const received of mails) {
    expect(received.recipients).not.toContain("eve@example.com");
    expect(headOf(received).filter((line) => /^bcc/i.test(line))).toEqual([]);
  }
});

test("a line break in the sender's name adds no header", async () => {
  const { url, mails } = await receiverThat();
  await systemMail(url, '"Kana\r\nBcc: eve@example.com\r\nlog" <no-reply@kanalog.test>').send(
    MESSAGE,
  );
  expect(mails.map(({ recipients }) => recipients)).toEqual([[...MESSAGE.to]]);
  for (const received of mails) {
    expect(headOf(received).filter((line) => /^bcc/i.test(line))).toEqual([]);
  }
});

test("a try connects without sending, and fails where nothing answers", async () => {
  const receiver = await receiverThat();
  await systemMail(receiver.url, FROM).tryOut();
  expect(receiver.mails).toEqual([]);
  await receiver.close();
  expect(await systemMail(receiver.url, FROM).tryOut().catch(String)).toContain("ECONNREFUSED");
});
