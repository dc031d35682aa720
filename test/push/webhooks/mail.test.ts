import { afterEach, beforeEach, expect, test } from "bun:test";
import { lanes } from "../../../src/app/operations.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { inlineThreads } from "../../../src/db/threads/threads.ts";
import { createMailer } from "../../../src/push/mail/mailer.ts";
import { mailQueue, type Taken } from "../../../src/push/mail/mails.store.ts";
import { type FakePorts, fakePorts } from "../../support/fake-ports.ts";
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  type Pushing,
  startFailing,
  startPushing,
} from "../../support/pushing.ts";

const ALL: Taken = { isAskedTaken: true };

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

const accounts = () => pushing.appliance.app.domains.accounts;
const mail = () => pushing.appliance.ports.mail;
const runMail = () => pushing.appliance.app.mailer.runDue();

async function addMember(name: string, role: "owner" | "administrator" | "member") {
  const { organizationId } = pushing.customer;
  return accounts().addMember(
    { organizationId, email: `${name}@example.com`, name, role },
    COMMAND_LINE,
  );
}

/** Makes the webhook fail for a day, after which it is disabled. */
async function failForADay(ids: number[] = [1]): Promise<void> {
  const failedAt = await startFailing(pushing, ids);
  await pushing.passUntil(failedAt + DAY_MS);
  expect((await pushing.view()).disabled_reason).toBe("failures");
}

/** Lets time pass while the process is running and sends mail. */
async function passWithMail(durationMs: number): Promise<void> {
  const until = pushing.now() + durationMs;
  while (pushing.now() < until) {
    await pushing.pass(Math.min(MINUTE_MS, until - pushing.now()));
    await runMail();
  }
}

function addressees(): string[] {
  return mail().sent.flatMap(({ to }) => to);
}

test("every owner and administrator who is not suspended gets one mail when a webhook is disabled, members none", async () => {
  await addMember("administrator", "administrator");
  await addMember("owner", "owner");
  await addMember("member", "member");
  const suspended = await addMember("suspended", "administrator");
  await accounts().suspendMember(suspended.id, COMMAND_LINE);
  const other = await pushing.appliance.customer();
  await accounts().addMember(
    {
      organizationId: other.organizationId,
      email: "stranger@example.com",
      name: "",
      role: "owner",
    },
    COMMAND_LINE,
  );
  await failForADay();
  await runMail();
  expect(addressees().toSorted()).toEqual([
    "ada@example.com",
    "administrator@example.com",
    "owner@example.com",
  ]);
});

test("the mail names the webhook, but not its secret", async () => {
  await failForADay();
  await runMail();
  const [{ subject, text } = { subject: "", text: "" }] = mail().sent;
  expect(text).toContain("https://receiver.example/hook");
  expect(`${subject}${text}`).toContain(String(pushing.id));
  expect(`${subject}${text}`).not.toContain(pushing.secret);
  expect(`${subject}${text}`).not.toContain("whsec_");
});

test("there is no mail before the webhook is disabled", async () => {
  const failedAt = await startFailing(pushing);
  await pushing.passUntil(failedAt + DAY_MS - 1000);
  await runMail();
  expect(mail().sent).toEqual([]);
});

test("one mail is sent, however long the webhook stays disabled", async () => {
  await failForADay();
  await passWithMail(3 * DAY_MS);
  expect(mail().sent).toHaveLength(1);
});

test("another mail is sent when the webhook is disabled again", async () => {
  await failForADay();
  await runMail();
  await pushing.change({ is_active: true });
  await failForADay([2]);
  await runMail();
  expect(mail().sent).toHaveLength(2);
});

test("two webhooks disabled at the same time are two mails", async () => {
  await pushing.add([1], "https://other.example/");
  await failForADay();
  await runMail();
  expect(mail().sent).toHaveLength(2);
  expect(new Set(mail().sent.map(({ text }) => text)).size).toBe(2);
});

test("no mail is sent if the customer or staff disable a webhook", async () => {
  await pushing.change({ is_active: false });
  await pushing.change({ is_active: true });
  await pushing.appliance.app.domains.webhooks.disable(pushing.id, "", COMMAND_LINE);
  await passWithMail(HOUR_MS);
  expect(mail().sent).toEqual([]);
});

test("a mail that the server does not accept is sent later, once", async () => {
  mail().isDown = true;
  await failForADay();
  await passWithMail(3 * HOUR_MS);
  expect(mail().sent).toEqual([]);
  mail().isDown = false;
  await passWithMail(2 * DAY_MS);
  expect(mail().sent).toHaveLength(1);
});

test("a mail that one process is sending is sent by no other until two minutes have passed", async () => {
  await failForADay();
  const { clock } = pushing.appliance.ports;
  const { db } = pushing.appliance.app.domains;
  expect(await mailQueue.claimMail(db, clock, "first", ALL)).toMatchObject({ claim: "first" });
  clock.advance(2 * MINUTE_MS - 1);
  expect(await mailQueue.claimMail(db, clock, "second", ALL)).toBeNull();
  clock.advance(1);
  expect(await mailQueue.claimMail(db, clock, "second", ALL)).toMatchObject({ claim: "second" });
});

test("a mail server is tried again without a restart, soon after a short failure", async () => {
  mail().isDown = true;
  await failForADay();
  await runMail();
  mail().isDown = false;
  await passWithMail(10 * MINUTE_MS);
  expect(mail().sent).toHaveLength(1);
});

test("an address that the server never accepts does not make the others get the mail more than once", async () => {
  await addMember("gone", "administrator");
  const taken: string[] = [];
  mail().send = async ({ to }) => {
    taken.push(...to.filter((address) => address !== "gone@example.com"));
    if (to.includes("gone@example.com")) throw new Error("550 no such mailbox");
  };
  await failForADay();
  await passWithMail(3 * DAY_MS);
  expect(taken).toEqual(["ada@example.com"]);
});

test("an administrator suspended before the webhook is disabled gets no mail, one added before gets it", async () => {
  const failedAt = await startFailing(pushing);
  await pushing.passUntil(failedAt + HOUR_MS);
  const { id } = await addMember("new", "administrator");
  await addMember("gone", "owner").then(({ id }) => accounts().suspendMember(id, COMMAND_LINE));
  expect(id).toBeGreaterThan(0);
  await pushing.passUntil(failedAt + DAY_MS);
  await runMail();
  expect(addressees().toSorted()).toEqual(["ada@example.com", "new@example.com"]);
});

test("without a mail server the mail waits, and is sent once one is configured", async () => {
  await pushing.close();
  const ports = fakePorts();
  pushing = await startPushing({}, { ...ports, mail: null } as unknown as FakePorts);
  await failForADay();
  await passWithMail(3 * HOUR_MS);
  expect(ports.mail.sent).toEqual([]);
  // The next start, with a mail server, uses the same queue.
  const { db } = pushing.appliance.app.domains;
  const mailer = createMailer(db, inlineThreads(lanes.push, db, ports.clock).calls, ports);
  await mailer.runDue();
  await mailer.runDue();
  expect(ports.mail.sent.map(({ to }) => to)).toEqual([["ada@example.com"]]);
});

test("a mail that has waited a week for a mail server is given up, so that none arrives late", async () => {
  await pushing.close();
  const ports = fakePorts();
  pushing = await startPushing({}, { ...ports, mail: null } as unknown as FakePorts);
  await failForADay();
  await passWithMail(3 * HOUR_MS);
  const { db } = pushing.appliance.app.domains;
  const waiting = () => db.prepare("SELECT count(*) AS mails FROM mails").get();
  expect(waiting()).toEqual({ mails: 1 });
  const warnings = ports.log.warnings.filter(({ message }) =>
    /KANALOG_SMTP_URL|mail/.test(message),
  );
  expect(warnings).toHaveLength(1);
  ports.clock.advance(7 * DAY_MS);
  await runMail();
  expect(waiting()).toEqual({ mails: 0 });
  expect(ports.mail.sent).toEqual([]);
});
