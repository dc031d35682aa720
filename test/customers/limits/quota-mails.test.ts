import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { queueQuotaMail } from "../../../src/push/mail/notices.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { addPerson, chooseLanguage, signedInVisitor } from "../../support/visitor.ts";

let appliance: Appliance;
let customer: Customer;
beforeEach(async () => {
  appliance = await startAppliance();
  customer = await appliance.customer({ plan: "start" });
  await appliance.app.domains.accounts.changePlan("start", { requestsPerPeriod: 10 }, COMMAND_LINE);
  await imported(appliance, "channels", [channel(1)]);
});
afterEach(() => appliance.close());

async function use(requests: number): Promise<void> {
  for (let at = 0; at < requests; at++) await appliance.get("/v1/msgr/channels/1/", customer.key);
  await appliance.app.mailer.runDue();
}

const subjects = () => appliance.ports.mail.sent.map(({ to, subject }) => [to[0], subject]);
const mailOf = (percent: number) => [
  "ada@example.com",
  `Использовано ${percent} % квоты: Acme / ${percent} % of the quota is used: Acme`,
];

test("owners get a mail at 80 and at 100 % of the quota, once per period", async () => {
  await use(7);
  expect(subjects()).toEqual([]);
  await use(1);
  expect(subjects()).toEqual([mailOf(80)]);
  await use(1);
  expect(subjects()).toEqual([mailOf(80)]);
  await use(5);
  expect(subjects()).toEqual([mailOf(80), mailOf(100)]);
  appliance.ports.clock.advance(30 * 24 * 60 * 60 * 1000);
  await use(8);
  expect(subjects()).toEqual([mailOf(80), mailOf(100), mailOf(80)]);
});

test("administrators get the mail too; members and suspended people do not", async () => {
  const { accounts } = appliance.app.domains;
  const { organizationId } = customer;
  for (const [name, role] of [
    ["administrator", "administrator"],
    ["member", "member"],
    ["suspended", "owner"],
  ] as const) {
    const email = `${name}@example.com`;
    const { id } = await accounts.addMember({ organizationId, email, name, role }, COMMAND_LINE);
    if (name === "suspended") await accounts.suspendMember(id, COMMAND_LINE);
  }
  await use(8);
  const addressees = appliance.ports.mail.sent.flatMap(({ to }) => to);
  expect(addressees.toSorted()).toEqual(["ada@example.com", "administrator@example.com"]);
});

test("a quota that is used up at once causes one mail", async () => {
  await appliance.app.domains.accounts.changePlan("start", { requestsPerPeriod: 1 }, COMMAND_LINE);
  await use(3);
  expect(subjects()).toEqual([mailOf(100)]);
});

test("a mail that could not be queued is queued with the next request", async () => {
  const { db } = appliance.app.domains;
  db.exec(
    `CREATE TRIGGER refuse BEFORE INSERT ON quota_mails BEGIN SELECT RAISE(ABORT, 'no'); END`,
  );
  await use(8);
  expect(subjects()).toEqual([]);
  db.exec("DROP TRIGGER refuse");
  await use(1);
  expect(subjects()).toEqual([mailOf(80)]);
});

test("the database knows which mails were sent, so another process does not repeat them", async () => {
  await use(8);
  const { db } = appliance.app.domains;
  const [row, ...others] = db
    .prepare("SELECT percent, period_started_at AS startedAt FROM quota_mails")
    .all() as { percent: number; startedAt: number }[];
  expect([row?.percent, others]).toEqual([80, []]);
  const again = { organizationId: customer.organizationId, percent: 80, quota: 10 };
  const { clock } = appliance.ports;
  await queueQuotaMail(db, clock, { ...again, periodStartedAt: row?.startedAt ?? 0 });
  await appliance.app.mailer.runDue();
  expect(subjects()).toEqual([mailOf(80)]);
});

test("somebody who has signed in gets it in the language of their pages only", async () => {
  await addPerson(appliance, { email: "ada@example.com" });
  const visitor = await signedInVisitor(appliance, "ada@example.com", "ru");
  await use(8);
  await chooseLanguage(visitor, "en");
  await use(2);
  const [russian, english] = appliance.ports.mail.sent;
  expect(russian?.subject).toBe("Использовано 80 % квоты: Acme");
  expect(russian?.html).not.toContain('lang="en"');
  expect(english?.subject).toBe("100 % of the quota is used: Acme");
  expect(english?.text).not.toMatch(/[а-я]/i);
});
