import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  invitationMail,
  knownAddressMail,
  passwordMail,
  signUpMail,
} from "../../../src/doors/site/mail-texts.ts";
import { type Message, systemMail } from "../../../src/ports/mail.ts";
import { addMail } from "../../../src/push/mail/mailer.ts";
import { disabledMail } from "../../../src/push/webhooks/events/due-work.ts";
import type { Webhook } from "../../../src/push/webhooks/manage/webhooks.table.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { type FakePorts, fakePorts } from "../../support/fake-ports.ts";
import { type MailParts, mailParts } from "../../support/mail-parts.ts";
import { type SmtpReceiver, startSmtpReceiver } from "../../support/smtp-receiver.ts";
import { addPerson, visitorOf } from "../../support/visitor.ts";

const BASE = "https://example.com/kanalog";
const HOSTILE = `</p><script>alert("1")</script>\u202eЖ'&<img src=x>\r\nBcc: evil@example.com`;

let receiver: SmtpReceiver;
let appliance: Appliance;
beforeEach(async () => {
  receiver = await startSmtpReceiver();
  const mail = systemMail(receiver.url, "Kanalog <kanalog@example.com>");
  const ports = { ...fakePorts(), mail } as unknown as FakePorts;
  appliance = await startAppliance({ KANALOG_BASE_URL: BASE }, ports);
});
afterEach(async () => {
  await appliance.close();
  await receiver.close();
});

/** Sent through the queue and over the wire, as a reader receives it. */
async function received(message: Message): Promise<MailParts> {
  await addMail(appliance.app.domains.db, appliance.ports.clock, message);
  await appliance.app.mailer.runDue();
  const mail = receiver.mails.at(-1);
  expect(mail?.recipients).toEqual([...message.to]);
  return mailParts(mail?.raw ?? "");
}

function textsOf({ parts, contentType }: MailParts): { plain: string; html: string } {
  expect(contentType).toStartWith("multipart/alternative");
  expect(parts.map(({ type }) => type)).toEqual(["text/plain", "text/html"]);
  for (const { charset } of parts) expect(charset.toLowerCase()).toBe("utf-8");
  const [plain, html] = parts.map(({ text }) => text);
  return { plain: plain ?? "", html: html ?? "" };
}

const webhook = (given: Partial<Webhook>): Webhook =>
  ({
    ...{ id: 7, url: "https://receiver.example/hook", lastError: "HTTP 500" },
    lastSuccessAt: Date.parse("2026-11-19T12:00:00+03:00"),
    ...given,
  }) as Webhook;

const disabled = (given: Partial<Webhook>, organization: string): Message => ({
  to: ["ada@example.com"],
  ...disabledMail(webhook(given), organization)(null),
});

const ENGLISH = { baseAddress: BASE, brand: "Acme Data", language: "en" } as const;
const NAMES = { organization: "Акме & Co", inviter: "Bob" };
const TO = "ada@example.com";

const kinds: [
  string,
  (reader: Parameters<typeof passwordMail>[0]) => Message,
  russian: string,
  english: string,
][] = [
  [
    "a password",
    (reader) => passwordMail(reader, TO, "TOKEN"),
    "запросил новый пароль",
    "asked for a new password",
  ],
  [
    "an account for a visitor",
    (reader) => signUpMail(reader, TO, "TOKEN"),
    "запросил аккаунт",
    "asked for an account",
  ],
  [
    "an account that is there already",
    (reader) => knownAddressMail(reader, TO),
    "он уже есть",
    "already has one",
  ],
  [
    "an invitation of somebody new",
    (reader) => invitationMail(reader, TO, NAMES, "TOKEN"),
    "Bob приглашает вас в организацию «Акме & Co»",
    "Bob invites you to join the organization Акме & Co",
  ],
  [
    "an invitation of somebody with a password",
    (reader) => invitationMail(reader, TO, NAMES, null),
    "Bob приглашает",
    "Bob invites",
  ],
];

test("a notice, whose readers' languages are not known, has both, intact in UTF-8", async () => {
  const mail = await received(disabled({}, "Acme"));
  const { plain, html } = textsOf(mail);
  for (const text of ["не удалась ни одна доставка вебхука 7", "No delivery of webhook 7"]) {
    expect(plain).toContain(text);
    expect(html).toContain(text);
  }
  expect(mail.head["subject"]).toMatch(/[а-я].*[a-z]/i);
});

test.each(kinds)(
  "%s: a text and an HTML part, in the language of whoever asked for it, intact in UTF-8",
  async (_, mailFor, russian, english) => {
    for (const [language, shown, other] of [
      ["ru", russian, english],
      ["en", english, russian],
    ] as const) {
      const message = mailFor({ ...ENGLISH, language });
      const mail = await received(message);
      const { plain, html } = textsOf(mail);
      expect(plain).toContain(shown);
      expect(html).toContain(Bun.escapeHTML(shown));
      expect(plain).not.toContain(other);
      expect(html).toContain(`lang="${language}"`);
      expect(mail.head["subject"]).toBe(message.subject);
      expect(mail.head["from"]).toBe("Kanalog <kanalog@example.com>");
      expect(mail.head["to"]).toBe("ada@example.com");
      expect(mail.head["message-id"]).toMatch(/^<.+@.+>$/);
      expect(plain).toBe(message.text);
    }
  },
);

test("names chosen by people are text: no markup, header lines or direction changes", async () => {
  for (const message of [
    invitationMail(
      ENGLISH,
      "ada@example.com",
      { organization: HOSTILE, inviter: HOSTILE },
      "TOKEN",
    ),
    disabled({ url: `https://x.example/?${HOSTILE}`, lastError: HOSTILE }, HOSTILE),
  ]) {
    const mail = await received(message);
    const { plain, html } = textsOf(mail);
    expect(html).not.toMatch(/<script|<img/);
    expect(html).toContain("&lt;script&gt;");
    expect(plain).toContain(`<script>alert("1")</script>Ж'&`);
    expect(Object.keys(mail.head)).not.toContain("bcc");
    for (const text of [plain, html, mail.head["subject"] ?? ""]) {
      expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      expect(text).not.toMatch(/^Bcc:/m);
    }
    expect(receiver.mails.at(-1)?.recipients).toEqual(["ada@example.com"]);
  }
});

test("links start with the base address and its prefix in both parts", async () => {
  for (const [message, link] of [
    [kinds[0]?.[1](ENGLISH), `${BASE}/account/choose-password/?token=TOKEN`],
    [kinds[1]?.[1](ENGLISH), `${BASE}/account/sign-up/?token=TOKEN`],
    [kinds[2]?.[1](ENGLISH), `${BASE}/account/sign-in/`],
    [kinds[3]?.[1](ENGLISH), `${BASE}/account/choose-password/?token=TOKEN`],
    [kinds[4]?.[1](ENGLISH), `${BASE}/account/`],
  ] as const) {
    const { plain, html } = textsOf(await received(message as Message));
    expect(new Set(plain.match(/https?:\S+/g))).toEqual(new Set([link]));
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address);
    expect(new Set(links)).toEqual(new Set([link]));
  }
});

test("the link in a password mail opens the page for choosing a password", async () => {
  await addPerson(appliance);
  const visitor = visitorOf(appliance);
  await visitor.post("/account/forgotten-password/", { action: "send", email: "ada@example.com" });
  await appliance.app.workAfterAnswers();
  await appliance.app.mailer.runDue();
  const { plain } = textsOf(mailParts(receiver.mails[0]?.raw ?? ""));
  const link = new URL(/https:\S+/.exec(plain)?.[0] ?? "");
  expect(link.href).toStartWith(`${BASE}/account/choose-password/?token=`);
  const path = link.pathname.replace("/kanalog", "");
  const page = await visitor.get(path + link.search);
  expect(page.body).toContain("Choose a password");
  const answer = await visitor.post(path + link.search, {
    ...{ action: "choose", token: link.searchParams.get("token") ?? "" },
    password: "another long password",
  });
  expect(answer.headers.get("location")).toBe("/kanalog/account/sign-in/?done=password");
});

test("a link never leads to the host named in a request", async () => {
  await addPerson(appliance);
  const ask = (of: Appliance, host: string) =>
    of.app.server.handle(new Request(`http://${host}/account/forgotten-password/`));
  expect(await (await ask(appliance, "evil.example")).text()).toContain("Send the link");

  // Without a base address, listening on all addresses, only the request's host is known.
  const ports = fakePorts();
  const open = await startAppliance({ KANALOG_HOST: "0.0.0.0" }, ports);
  const page = await (await ask(open, "evil.example")).text();
  expect(page).toContain("This appliance does not send mail.");
  expect(ports.log.warnings.map(({ message }) => message).join()).toContain("KANALOG_BASE_URL");
  await addPerson(open);
  const visitor = visitorOf(open);
  const asked = await visitor.post("/account/forgotten-password/", {
    ...{ action: "send", email: "ada@example.com", csrf: await visitor.csrf() },
  });
  expect(asked.status).toBe(303);
  await open.app.mailer.runDue();
  expect(ports.mail.sent).toEqual([]);
  await open.close();
});
