import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { tableNames } from "../../../src/db/file/database-facts.ts";
import { retain } from "../../../src/upkeep/retention/retain.ts";
import { type Limits, RETENTION } from "../../../src/upkeep/retention/retention-rules.ts";
import { DAY_MS } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson, signedInVisitor } from "../../support/visitor.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const db = () => appliance.app.domains.db;
const count = (table: string, where = "true"): number =>
  db().prepare<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${where}`).get()?.n ?? 0;
const retainNow = () => retain(db(), appliance.ports.clock);

test("every table of the schema has a rule, and every rule a table", () => {
  expect(Object.keys(RETENTION).sort()).toEqual(tableNames(db()));
});

test("the primary key that a rule names is the table's", () => {
  for (const [table, rule] of Object.entries(RETENTION)) {
    if (typeof rule === "string") continue;
    const { key = ["rowid"], age, most } = rule as Limits;
    if (age === undefined && most?.by == null) continue;
    const isWithoutRowid =
      db()
        .pragma<{ name: string; wr: number }>("table_list")
        .find(({ name }) => name === table)?.wr === 1;
    const own = db()
      .pragma<{ name: string; pk: number }>(`table_info(${table})`)
      .filter(({ pk }) => pk > 0)
      .sort((one, other) => one.pk - other.pk)
      .map(({ name }) => name);
    expect(key, table).toEqual(isWithoutRowid ? own : ["rowid"]);
  }
});

test("the audit log keeps two years, and each organization's latest 100,000 changes", async () => {
  const { organizationId } = await appliance.customer();
  const other = await appliance.customer();
  const now = appliance.ports.clock.now();
  const fill = (organization: number | null, rows: number, at: number) =>
    db()
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO audit_log (at, person, organization_id, action, target, details)
         SELECT ?, '', ?, 'key.create', 'key ' || i, '{}' FROM n`,
      )
      .run(rows, at, organization);
  db().exec("DELETE FROM audit_log");
  fill(organizationId, 7, now - 730 * DAY_MS);
  fill(other.organizationId, 100_000, now);
  fill(organizationId, 100_500, now - 729 * DAY_MS);
  fill(null, 100_001, now);
  await retainNow();
  expect(count("audit_log", `organization_id = ${organizationId}`)).toBe(100_000);
  expect(count("audit_log", `organization_id = ${organizationId} AND target = 'key 501'`)).toBe(1);
  expect(count("audit_log", `organization_id = ${organizationId} AND target = 'key 500'`)).toBe(0);
  expect(count("audit_log", `organization_id = ${other.organizationId}`)).toBe(100_000);
  expect(count("audit_log", "organization_id IS NULL")).toBe(100_000);
});

test("expired sessions and password links are removed, valid ones stay, of a person the latest 100", async () => {
  const { people } = appliance.app.domains;
  await addPerson(appliance, { email: "ada@example.com" });
  for (let times = 0; times < 60; times += 1) await signedInVisitor(appliance, "ada@example.com");
  await people.passwordLink({ email: "ada@example.com", isTrusted: true });
  // The sign-in library sets times by the machine's clock.
  const at = (ms: number) => new Date(appliance.ports.clock.now() + ms).toISOString();
  db().exec(`UPDATE sessions SET expires_at = iif(rowid % 10 = 0, '${at(1)}', '${at(0)}')`);
  db().exec(`UPDATE verifications SET expires_at = '${at(0)}'`);
  await retainNow();
  expect([count("sessions"), count("verifications")]).toEqual([6, 0]);
  expect(count("sessions", "rowid % 10 = 0")).toBe(6);

  const copy = (from: number, rows: number) =>
    db()
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO sessions (id, token, person_id, expires_at, created_at, updated_at)
         SELECT 's' || CAST(i AS INTEGER), 't' || CAST(i AS INTEGER), (SELECT id FROM people), '${at(DAY_MS)}',
           strftime('%Y-%m-%dT%H:%M:%fZ', '2030-01-01', CAST(i AS INTEGER) || ' seconds'), ''
         FROM n`,
      )
      .run(from, from + rows - 1);
  copy(1, 150);
  await retainNow();
  expect(count("sessions")).toBe(100);
  expect(count("sessions", "id = 's150'")).toBe(1);
  expect(count("sessions", "id = 's50'")).toBe(0);
});

test("a key that ended is kept as long as its usage is, and 500 days at least", async () => {
  const { keys } = appliance.app.domains;
  const { keyId, key, memberId } = await appliance.customer();
  const unused = await keys.createKey(
    { memberId, name: "Unused", access: "read_only", expiresAt: null },
    COMMAND_LINE,
  );
  await appliance.get("/v1/me/", key);
  await keys.revokeKey(keyId, COMMAND_LINE);
  await keys.revokeKey(unused.key.id, COMMAND_LINE);
  appliance.ports.clock.advance(500 * DAY_MS - 1);
  await retainNow();
  expect(count("keys")).toBe(2);
  expect(count("usage_days")).toBe(0);
  appliance.ports.clock.advance(1);
  db().exec(`INSERT INTO usage_days SELECT 1, 99999, 'me', ${keyId}, 200, 1, 0`);
  await retainNow();
  expect(count("keys")).toBe(1);
  db().exec("DELETE FROM usage_days");
  await retainNow();
  expect(count("keys")).toBe(0);
});

test("rows are removed in transactions of a few milliseconds, not in one", async () => {
  let commits = 0;
  const holds = appliance.ports.clock;
  db().exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
     INSERT INTO audit_log (at, person, organization_id, action, target, details)
     SELECT 0, '', NULL, 'key.create', 'key ' || i, '{}' FROM n`,
  );
  const { endOfTurn } = holds;
  const counting = {
    ...holds,
    // Each look at the clock takes a millisecond.
    monotonic: () => {
      holds.advance(1);
      return holds.monotonic();
    },
    endOfTurn: (work: () => void) => {
      commits += 1;
      endOfTurn(work);
    },
  };
  await retain(db(), counting);
  expect(count("audit_log", "at = 0")).toBe(0);
  expect(commits).toBeGreaterThan(100);
});

test("an organization may submit 300 forms at once and then one a second, and create 50 keys", async () => {
  await addPerson(appliance, { email: "ada@example.com" });
  const visitor = await signedInVisitor(appliance, "ada@example.com");
  const csrf = await visitor.csrf("/account/keys/");
  const key = { csrf, action: "create", name: "Key", access: "read_only" };
  const statuses: number[] = [];
  const keysBefore = count("keys");
  for (let at = 0; at < 500; at += 1) {
    statuses.push((await visitor.post("/account/keys/", key)).status);
  }
  expect(statuses.slice(0, 51)).toEqual([...Array(50).fill(200), 429]);
  expect(count("keys") - keysBefore).toBe(50);
  const change = { csrf, action: "revoke", key: 0 };
  expect((await visitor.post("/account/keys/", change)).status).toBe(429);
  appliance.ports.clock.advance(1_000);
  expect((await visitor.post("/account/keys/", change)).status).not.toBe(429);
  expect((await visitor.post("/account/keys/", change)).status).toBe(429);
});

for (const [language, rules] of [
  [
    "en",
    [
      "removed after 730 days; at most 100,000 per organization",
      "kept until somebody removes them",
    ],
  ],
  [
    "ru",
    ["удаляются через 730 дн.; не больше 100 000 на организацию", "хранятся, пока их не удалят"],
  ],
] as const) {
  test(`staff see each table with its rows and its rule (${language})`, async () => {
    await addPerson(appliance, { email: "op@example.com", isStaff: true });
    const visitor = await signedInVisitor(appliance, "op@example.com", language);
    const { html } = await visitor.get("/staff/database/");
    for (const table of tableNames(db())) expect(html).toContain(`<code>${table}</code>`);
    for (const rule of rules) expect(html.replaceAll("\u00a0", " ")).toContain(rule);
    expect(html).not.toContain("<td></td>");
  });
}
