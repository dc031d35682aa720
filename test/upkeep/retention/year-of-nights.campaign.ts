import { expect, test } from "bun:test";
import { tableNames } from "../../../src/db/file/database-facts.ts";
import { type Limits, RETENTION } from "../../../src/upkeep/retention/retention-rules.ts";
import type { Appliance } from "../../support/appliance.ts";
import { ISSUER, type OAuthTalk, startOAuthTalk } from "../../support/oauth-client.ts";
import { DAY_MS, type Pushing, startPushing } from "../../support/pushing.ts";
import { until } from "../../support/until.ts";
import { addPerson, PASSWORD, signedInVisitor, visitorOf } from "../../support/visitor.ts";

/** A year of nights with the scheduler's own jobs, and of traffic of all kinds on every second day. */

const DAYS = 365;
/** A rule that removes rows within a season has long reached its bound by the middle of the year. */
const SEASON_DAYS = 120;

test("a year of traffic and nights leaves every table within its rule", async () => {
  const pushing = await startPushing({
    ...{ KANALOG_SIGN_UP: "on", KANALOG_OAUTH: "on" },
    ...{ KANALOG_BASE_URL: ISSUER, KANALOG_TRUST_PROXY: "true" },
  });
  const { appliance } = pushing;
  const { app, ports } = appliance;
  const { db } = app.domains;
  await addPerson(appliance, { email: "olga@example.com" });
  await addPerson(appliance, { email: "boss@example.com", isStaff: true });
  const talk = await startOAuthTalk(appliance);
  // The organization's history is as long as it may be.
  db.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO audit_log (at, person, organization_id, action, target, details)
     SELECT ${ports.clock.now()}, '', ${pushing.customer.organizationId}, 'webhook.change', '', '{}' FROM n`,
  );
  await app.scheduler.runDue();
  const counts: Record<string, number>[] = [];
  for (let day = 1; day <= DAYS; day += 1) {
    if (day % 2 === 0) await spendDay(day, pushing, talk);
    ports.clock.advance(DAY_MS);
    await app.scheduler.runDue();
    counts.push(countAll());
  }
  const failed = (await app.scheduler.list()).filter(({ failure }) => failure !== null);
  expect(failed).toEqual([]);

  const [middle, end] = [counts[DAYS / 2 - 0.5] ?? {}, counts.at(-1) ?? {}];
  for (const [table, rule] of Object.entries(RETENTION)) {
    const [before, after] = [middle[table] ?? 0, end[table] ?? 0];
    if (rule === "fixed" || rule === "queue") expect([table, after]).toEqual([table, before]);
    if (typeof rule === "string") continue;
    if ((rule.age?.days ?? DAYS) <= SEASON_DAYS) {
      // No more than in the middle of the year, but for what one day brings.
      expect([table, after <= before + 10], `${table} ${before} ${after}`).toEqual([table, true]);
    }
    expect([
      table,
      worstOwner(table, rule) <= (rule.most?.rows ?? Number.POSITIVE_INFINITY),
    ]).toEqual([...[table, true]]);
  }
  // What was to be bounded was there.
  for (const table of [
    ...[
      "audit_log",
      "hours",
      "import_runs",
      "keys",
      "known_networks",
      "oauth_grants",
      "oauth_tokens",
    ],
    ...["request_log", "sessions", "usage_days", "webhook_bodies", "webhook_deliveries"],
  ]) {
    expect(
      counts.some((of) => (of[table] ?? 0) > 0),
      table,
    ).toBe(true);
  }
  await appliance.close();

  function countAll(): Record<string, number> {
    const of = (table: string) =>
      db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;
    return Object.fromEntries(tableNames(db).map((table) => [table, of(table)]));
  }

  function worstOwner(table: string, { most }: Limits): number {
    if (most?.by == null) return 0;
    const sql = `SELECT count(*) AS n FROM ${table} GROUP BY ${most.by.owner} ORDER BY n DESC LIMIT 1`;
    return db.prepare<{ n: number }>(sql).get()?.n ?? 0;
  }
}, 300_000);

/** A delivery, changes, sign-ins, sign-ups nobody finishes, links nobody opens, and registrations; some days more. */
async function spendDay(day: number, pushing: Pushing, talk: OAuthTalk): Promise<void> {
  const { appliance } = pushing;
  const { app } = appliance;
  const from = { "x-forwarded-for": `192.0.2.${day % 250}` };
  await pushing.read([day]);
  await pushing.pass(90_000);
  for (let at = 0; at < 3; at += 1) await pushing.change({ channels: at % 2 === 0 ? [1] : [1, 2] });

  const olga = visitorOf(appliance);
  const signIn = { action: "sign-in", email: "olga@example.com", password: PASSWORD };
  await olga.post("/account/sign-in/", signIn, from);
  await olga.post("/account/keys/", { action: "create", name: `Key ${day}`, access: "read_only" });
  const stranger = visitorOf(appliance);
  const csrf = await stranger.csrf();
  for (const [path, email] of [
    ["/account/sign-up/", `nobody${day}@example.net`],
    ["/account/forgotten-password/", "olga@example.com"],
  ] as const) {
    expect((await stranger.post(path, { csrf, action: "send", email }, from)).status).toBe(303);
  }
  await talk.register({ client_name: `Client ${day}`, redirect_uris: ["https://a.example/"] });
  if (day % 6 === 0) await connectAssistant(talk);
  if (day % 30 === 0) await uploadFile(appliance, day);
  await app.workAfterAnswers();
  await app.mailer.runDue();
  await app.flushRequests();
}

async function connectAssistant(talk: OAuthTalk): Promise<void> {
  talk.person.cookies.clear();
  expect((await talk.person.signIn("ada@example.com")).status).toBe(303);
  const { tokens } = await talk.connect();
  await talk.call(tokens.access_token);
}

async function uploadFile(appliance: Appliance, day: number): Promise<void> {
  const staff = await signedInVisitor(appliance, "boss@example.com");
  const file = new File([`id,title\n${day},Channel\n`], "channels.csv");
  const sent = await staff.post("/staff/imports/", { action: "import", kind: "channels", file });
  expect(sent.status).toBe(303);
  await until(
    async () => !(await staff.get(sent.location ?? "")).html.includes("data-refresh"),
    "the end of the import",
  );
}
