import { afterEach, beforeEach, expect, test } from "bun:test";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { periodAt, planInForce } from "../../../src/customers/accounts/plan.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { summarizeForStaff } from "../../../src/upkeep/checks/staff-summary.ts";
import { writeHour } from "../../../src/upkeep/hours/hours.store.ts";
import { classOf } from "../../../src/upkeep/hours/hours.ts";
import { retain } from "../../../src/upkeep/retention/retain.ts";
import { dayOf, formatDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { STORED_SUMMARY } from "../../support/stored-run.ts";
import { addPerson, signedInVisitor, type Visitor } from "../../support/visitor.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const STAFF = "olga@example.com";

let appliance: Appliance;
let staff: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  await addPerson(appliance, { email: STAFF, isStaff: true });
  staff = await signedInVisitor(appliance, STAFF);
  await imported(appliance, "channels", [channel(1)]);
});
afterEach(() => appliance.close());

const page = async (): Promise<string> => (await staff.get("/staff/")).html;

/** Rows of the last day's table of hours, newest first, as numbers. */
function hoursIn(html: string): string[][] {
  const table = html.split("<h3>Requests by hour, the last day")[1]?.split("</table>")[0] ?? "";
  return table
    .split("<tr>")
    .slice(2)
    .map((row) =>
      [...row.matchAll(/<td class="number[^"]*">([^<]*)</g)].map(([, text]) => text ?? ""),
    );
}

test("staff see requests and failures by hour, for the last day and week", async () => {
  const { key } = await appliance.customer();
  const { clock } = appliance.ports;
  await appliance.get("/v1/msgr/channels/1/", key);
  await appliance.get("/v1/me/", key);
  await appliance.app.flushRequests();
  clock.advance(HOUR_MS);
  await appliance.get("/v1/me/", key);
  await appliance.app.flushRequests();
  expect(hoursIn(await page()).map(([requests, errors]) => [requests, errors])).toEqual([
    ["1", "0"],
    ["2", "0"],
  ]);
  expect(await page()).toContain("Requests with a key: 3 · at most 2 per hour · ");
  clock.advance(30 * HOUR_MS);
  await appliance.app.flushRequests();
  await appliance.app.flushRequests();
  const html = await page();
  const [, day = "", week = ""] = html.split("<h3>Requests by hour, the last ");
  expect(day).toContain("No requests with a key in this time.");
  expect(day).not.toContain("<svg");
  expect(week).toContain('<rect x="');
});

test("the slowest of a hundred requests is shown, separately from what 99% took", async () => {
  const { db } = appliance.app.domains;
  const { clock } = appliance.ports;
  const noted = {
    startedAt: Math.floor(clock.now() / HOUR_MS) * HOUR_MS,
    requests: 100,
    errors: 0,
  };
  const durations = new Map([
    [classOf(4_000), 99],
    [classOf(900_000), 1],
  ]);
  await writeHour(db, clock, { ...noted, durationUs: 500_000, slowestUs: 900_000, durations });
  await writeHour(db, clock, { ...noted, durationUs: 500_000, slowestUs: 5_000, durations });
  const html = await page();
  expect(hoursIn(html)).toEqual([["200", "0", "5 ms", "4.1 ms", "900 ms"]]);
  expect(html).toContain("99% within: 4.1 ms");
  clock.advance(10 * 24 * HOUR_MS);
  await writeHour(db, clock, {
    ...noted,
    startedAt: clock.now(),
    durationUs: 0,
    slowestUs: 0,
    durations,
  });
  await retain(db, clock);
  const { n } = db.prepare("SELECT count(DISTINCT started_at) AS n FROM hour_durations").get() as {
    n: number;
  };
  expect(n).toBe(1);
});

const WELL = "Nothing here needs attention.";
const marked = (html: string): (string | undefined)[] =>
  [...html.matchAll(/<li class="warning"><strong>.*?<\/strong><a[^>]*>([^<]+)/g)].map(
    ([, label]) => label,
  );

const MISSING = [
  "Last backup",
  "Mail server (KANALOG_SMTP_URL)",
  "Public address (KANALOG_BASE_URL)",
];

test("an appliance without backups, a mail server or a public address needs attention", async () => {
  const html = await page();
  expect(html).not.toContain(WELL);
  expect(marked(html)).toEqual(MISSING);
  await appliance.close();
  appliance = await startAppliance({
    KANALOG_BACKUP_DIR: "/nowhere/backups",
    KANALOG_SMTP_URL: "smtp://127.0.0.1:2525",
    KANALOG_BASE_URL: "http://localhost",
  });
  await addPerson(appliance, { email: STAFF, isStaff: true });
  staff = await signedInVisitor(appliance, STAFF);
  expect(marked(await page())).toEqual(["Last backup"]);
});

test("a newest reading of three days ago needs attention; what is well is one line", async () => {
  const today = dayOf(appliance.ports.clock.now());
  const read = async (ago: number) => {
    await imported(appliance, "stats", [
      { channel: 1, day: formatDay(today - ago), subscribers: 5, views: 0 },
    ]);
    await computeMetrics(appliance.app.domains.db, appliance.ports.clock);
    return page();
  };
  expect(marked(await read(3))).toEqual([...MISSING, "Newest reading of subscribers"]);
  const html = await read(2);
  expect(marked(html)).toEqual(MISSING);
  expect(html).toContain("Webhooks failing: 0");
});

test("a failed import needs attention for a week", async () => {
  const { clock } = appliance.ports;
  const now = clock.now();
  appliance.app.domains.db
    .prepare(
      `INSERT INTO import_runs (kind, file_name, person, state, started_at, finished_at, summary, failure)
       VALUES ('stats', 'a.csv', 'x', 'failed', ?, ?, ?, '{"code":"importInterrupted","values":{}}')`,
    )
    .run(now - 1, now, STORED_SUMMARY);
  clock.advance(7 * 24 * HOUR_MS);
  staff = await signedInVisitor(appliance, STAFF);
  const failed = "Failed imports of the past week, among the last 20";
  expect(marked(await page())).toEqual([failed, ...MISSING]);
  clock.advance(1);
  expect(marked(await page())).toEqual(MISSING);
});

test("customers are ranked by usage, and those near their limit are listed again", async () => {
  const { accounts } = appliance.app.domains;
  const [little, much] = [await appliance.customer(), await appliance.customer({ plan: "test" })];
  await accounts.changePlan("test", { requestsPerPeriod: 10 }, COMMAND_LINE);
  await appliance.get("/v1/msgr/channels/1/", little.key);
  for (let at = 0; at < 8; at++) await appliance.get("/v1/msgr/channels/1/", much.key);
  const html = await page();
  const [, top = "", near = ""] = html.split(/<h3>Customers /);
  const numbers = (part: string) =>
    [...part.matchAll(/\/staff\/organizations\/(\d+)\//g)].map(([, id]) => Number(id));
  expect(numbers(top)).toEqual([much.organizationId, little.organizationId]);
  expect(numbers(near)).toEqual([much.organizationId]);
});

test("the units of every customer are those of the plan in force and its period", async () => {
  const { accounts, db } = appliance.app.domains;
  const { clock } = appliance.ports;
  for (let at = 0; at < 8; at++) {
    const { organizationId: id } = await appliance.customer({ plan: at % 2 ? "growth" : "start" });
    if (at % 3 === 0)
      await accounts.givePlan(id, "profi", clock.now() + (at + 1) * DAY_MS, COMMAND_LINE);
    clock.advance(9 * DAY_MS);
  }
  const add = db.prepare("INSERT INTO usage_periods VALUES (?, ?, ?)");
  const organizations = await accounts.organizations();
  const expected = organizations.map((organization) => {
    const { plan, startedAt } = planInForce(organization, clock.now());
    const period = periodAt(startedAt, clock.now());
    const used = 100 + organization.id;
    add.run(organization.id, period.startedAt, used);
    add.run(organization.id, period.startedAt - 1, 1_000_000);
    return { id: organization.id, plan, used };
  });
  const { top, customers } = summarizeForStaff(db, { nowMs: clock.now() });
  expect(top).toMatchObject(expected.toReversed());
  expect(customers).toBe(organizations.length);
});

test("the database's growth and the disk's days left are those of the recorded hours", async () => {
  const { clock } = appliance.ports;
  const { db } = appliance.app.domains;
  expect(await page()).toContain("not known yet");
  const note = (hoursAgo: number, bytes: number) =>
    db
      .prepare("INSERT OR REPLACE INTO hours VALUES (?, 0, 0, 0, 0, ?)")
      .run(Math.floor(clock.now() / HOUR_MS) * HOUR_MS - hoursAgo * HOUR_MS, bytes);
  note(48, 10_000_000);
  note(0, 14_000_000);
  const html = await page();
  expect(html).toContain("<strong>14 MB</strong>Database");
  expect(html).toContain("<strong>2 MB</strong>Growth per day");
});

test("staff change what a plan includes from the next request on; an invalid number changes nothing", async () => {
  const { accounts } = appliance.app.domains;
  const fields = {
    action: "set-start",
    rate: 7,
    webhooks: 2,
    webhook_channels: 10,
    alerts: 4,
    database_ms: 500,
    lock_ms: 20,
  };
  const changed = await staff.post("/staff/plans/", { ...fields, quota: 44_000 });
  expect(changed.status).toBe(303);
  expect(await accounts.plan("start")).toMatchObject({
    ...{
      requestsPerSecond: 7,
      requestsPerPeriod: 44_000,
      webhooks: 2,
      webhookChannels: 10,
      alerts: 4,
      databaseMsPerSecond: 500,
      lockMsPerSecond: 20,
    },
  });
  for (const quota of ["0", "-1", "many", "1e3"]) {
    const refused = await staff.post("/staff/plans/", { ...fields, quota });
    expect(refused.status, quota).toBe(400);
    expect(refused.html).toContain('id="set-start-quota-fault"');
  }
  expect((await accounts.plan("start")).requestsPerPeriod).toBe(44_000);
});
