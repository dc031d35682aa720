import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  type AuditEntry,
  COMMAND_LINE,
  recordChange,
} from "../../../src/customers/audit/audit-log.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { createSecretBox } from "../../../src/values/secret-box.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import {
  addPerson,
  expectDone,
  STAFF,
  signedInMember,
  staffVisitor,
  type Visitor,
  visitorOf,
} from "../../support/visitor.ts";

/** Staff's console: who sees it, what it shows, and what it changes. */

const SECRET = "the secret of an appliance of a test";

let appliance: Appliance;
let customer: Customer;
let staff: Visitor;
beforeEach(async () => {
  appliance = await startAppliance({ KANALOG_SECRET: SECRET });
  customer = await appliance.customer();
  staff = await staffVisitor(appliance);
});
afterEach(() => appliance.close());

const PAGES = [
  ...["", "organizations/", "people/", "webhooks/", "jobs/", "database/", "errors/", "audit/"],
].map((path) => `/staff/${path}`);

const organizationPath = () => `/staff/organizations/${customer.organizationId}/`;
const personId = (email: string): string => {
  const { db } = appliance.app.domains;
  return (db.prepare("SELECT id FROM people WHERE email = ?").get(email) as { id: string }).id;
};
const personPath = (email: string) => `/staff/people/${personId(email)}/`;

/** A customer's webhook. */
async function webhook(): Promise<number> {
  const { db } = appliance.app.domains;
  const secret = createSecretBox(SECRET, appliance.ports.random).seal("whsec_of-a-test");
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO webhooks (organization_id, url, secret, disabled_reason, since_sequence,
         created_at, updated_at) VALUES (?, 'https://hooks.example.com/a', ?, '', 0, 1, 1)`,
    )
    .run(customer.organizationId, secret);
  return Number(lastInsertRowid);
}

test("staff can open every page, in both languages, each with one heading", async () => {
  const id = await webhook();
  const pages = [...PAGES, organizationPath(), personPath(STAFF), `/staff/webhooks/${id}/`];
  const russian = await (async () => {
    const browser = visitorOf(appliance, "ru");
    await browser.signIn(STAFF);
    return browser;
  })();
  for (const path of pages) {
    for (const [browser, language] of [
      [staff, "en"],
      [russian, "ru"],
    ] as const) {
      const { status, html } = await browser.get(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(html).toContain(`<html lang="${language}">`);
      expect(html.match(/<h1>/g)).toHaveLength(1);
      expect(html, path).toMatch(/<nav class="console"[\s\S]* aria-current="(page|true)"/);
      expect(html).not.toContain("undefined");
    }
  }
});

test("for everybody else the console does not exist, whatever they send", async () => {
  const { organizationId } = customer;
  const owner = await signedInMember(appliance, organizationId, "owner", "owner@example.com");
  const id = await webhook();
  const pages = [...PAGES, organizationPath(), personPath(STAFF), `/staff/webhooks/${id}/`];
  for (const path of pages) {
    expect((await owner.get(path)).status, path).toBe(404);
    const nobody = await visitorOf(appliance).get(path);
    expect(nobody).toMatchObject({ status: 303, location: expect.stringContaining("sign-in") });
  }
  // The token of their own page does not authorize staff's actions.
  const csrf = /name="csrf" value="([^"]+)"/.exec((await owner.get("/account/profile/")).html)?.[1];
  for (const [path, fields] of [
    [organizationPath(), { action: "archive" }],
    [personPath("owner@example.com"), { action: "give-staff" }],
    [`/staff/webhooks/${id}/`, { action: "disable", reason: "spite" }],
    ["/staff/jobs/", { action: "run", job: "recount" }],
  ] as const) {
    expect((await owner.post(path, { ...fields, csrf: csrf ?? "" })).status, path).toBe(404);
  }
  expect(auditOf(appliance)).toEqual([]);
  expect((await appliance.app.domains.accounts.organization(organizationId)).archivedAt).toBeNull();
  expect((await owner.get("/account/profile/")).html).not.toContain("/staff/");
});

test("removal from staff closes the console at the next request", async () => {
  const { organizationId } = customer;
  const other = await signedInMember(appliance, organizationId, "owner", "other@example.com");
  expectDone(
    await staff.post(personPath("other@example.com"), {
      action: "give-staff",
      email: "other@example.com",
    }),
    "staff.add",
  );
  expect((await other.get("/staff/")).status).toBe(200);
  expectDone(
    await staff.post(personPath("other@example.com"), { action: "take-staff" }),
    "staff.remove",
  );
  expect((await other.get("/staff/")).status).toBe(404);
  expect(auditOf(appliance)).toMatchObject([
    { person: STAFF, action: "staff.add", target: "person other@example.com" },
    { person: STAFF, action: "staff.remove", target: "person other@example.com" },
  ]);
});

test("nobody can remove themselves from staff, and the last member stays", async () => {
  const own = await staff.post(personPath(STAFF), { action: "take-staff" });
  expect(own.status).toBe(409);
  expect(own.html).toContain("You cannot remove yourself from staff");
  expect((await staff.get("/staff/")).status).toBe(200);
  await expect(
    appliance.app.domains.people.markStaff({ email: STAFF, isStaff: false, by: COMMAND_LINE }),
  ).rejects.toMatchObject({
    code: "conflict",
  });
});

test("the summary counts what exists and what is wrong", async () => {
  await appliance.app.domains.webhooks.disable(await webhook(), "", COMMAND_LINE);
  appliance.ports.mail.isDown = true;
  await staff.post(personPath(STAFF), { action: "mail-link" });
  const { html } = await staff.get("/staff/");
  const counts = [...html.matchAll(/<strong>(\d+)<\/strong>(?:<a[^>]*>)?([^<]+)/g)].map(
    ([, count, label]) => [label, Number(count)],
  );
  expect(Object.fromEntries(counts)).toEqual({
    "Webhooks disabled": 1,
  });
  for (const label of ["Organizations: 2", "People: 1"]) expect(html).toContain(label);
  for (const label of ["Silent sources", "Webhooks failing", "Errors since the last start"])
    expect(html).toContain(`${label}: 0`);
  expect(html).toContain("Mails queued: 1");
  const marked = [...html.matchAll(/<li class="warning"><strong>[^<]*<\/strong><a[^>]*>([^<]+)/g)];
  expect(marked.map(([, label]) => label)).toEqual([
    ...["Webhooks disabled", "Last backup"],
    ...["Mail server (KANALOG_SMTP_URL)", "Public address (KANALOG_BASE_URL)"],
  ]);
});

test("an organization is created and found, and its page shows the plan it is given", async () => {
  const made = await staff.post("/staff/organizations/", {
    ...{ action: "create", name: " Новая ", plan: "start" },
  });
  expectDone(made, "organization.create");
  const path = made.location?.split("?")[0] ?? "";
  expect((await staff.get("/staff/organizations/?q=новая")).html).toContain(path);
  expect((await staff.get("/staff/organizations/?q=nothing")).html).not.toContain(path);
  const planned = { action: "plan", plan: "profi", ends: "2027-01-31" };
  expectDone(await staff.post(path, planned), "organization.plan");
  expect((await staff.get(path)).html).toContain('<time datetime="2027-01-31">31 Jan 2027</time>');
  expectDone(await staff.post(path, { action: "archive" }), "organization.archive");
  expectDone(await staff.post(path, { action: "restore" }), "organization.restore");
  const id = Number(path.split("/").at(-2));
  expect(auditOf(appliance)[0]).toMatchObject({
    ...{ action: "organization.create", organizationId: id, details: { name: "Новая" } },
  });
});

test("an unchanged plan form changes and records nothing; an emptied day says so", async () => {
  const { accounts } = appliance.app.domains;
  await accounts.givePlan(
    customer.organizationId,
    "growth",
    Date.parse("2027-02-01T00:00+03:00"),
    COMMAND_LINE,
  );
  const before = await accounts.organization(customer.organizationId);
  const recorded = auditOf(appliance).length;
  const { html } = await staff.get(organizationPath());
  const ends = /<input[^>]*name="ends"[^>]*>/.exec(html)?.[0] ?? "";
  const [, day = ""] = /value="([^"]*)"/.exec(ends) ?? [];
  expect(day).toBe("2027-01-31");
  const plan = { action: "plan", plan: "growth" };
  expectDone(await staff.post(organizationPath(), { ...plan, ends: day }), "organization.plan");
  expect(await accounts.organization(customer.organizationId)).toEqual(before);
  expect(auditOf(appliance)).toHaveLength(recorded);
  const endless = await staff.post(organizationPath(), { ...plan, ends: "" });
  expectDone(endless, "planned-without-end");
  expect((await staff.get(endless.location ?? "")).html).toContain("assigned, with no end date.");
  expect((await accounts.organization(customer.organizationId)).planEndsAt).toBeNull();
});

test("faults of a form are reported at the field, and what was typed is kept", async () => {
  const blank = await staff.post("/staff/organizations/", {
    ...{ action: "create", name: " ", plan: "growth" },
  });
  expect(blank.status).toBe(400);
  expect(blank.html).toMatch(/id="create-name-fault"[^>]*>This field is required/);
  expect(blank.html).toMatch(/<option value="growth" selected/);
  for (const [fields, field] of [
    [{ plan: "gold", ends: "" }, "plan"],
    [{ plan: "start", ends: "2027-02-30" }, "ends"],
    [{ plan: "start", ends: "soon" }, "ends"],
    [{ plan: "start", ends: "2020-01-01" }, "ends"],
  ] as const) {
    const { status, html } = await staff.post(organizationPath(), { action: "plan", ...fields });
    expect({ fields, status }).toEqual({ fields, status: 400 });
    expect(html).toContain(`id="plan-${field}-fault"`);
  }
  expect(auditOf(appliance)).toEqual([]);
});

test("unknown addresses and invalid numbers are not found", async () => {
  for (const path of ["organizations/99", "organizations/x", "webhooks/99", "people/none"]) {
    expect((await staff.get(`/staff/${path}/`)).status, path).toBe(404);
  }
});

test("a member who is suspended is signed out", async () => {
  const email = "member@example.com";
  const browser = await signedInMember(appliance, customer.organizationId, "member", email);
  const fields = { action: "suspend", member: browser.memberId };
  expectDone(await staff.post(organizationPath(), fields), "member.suspend");
  expect((await browser.get("/account/profile/")).status).toBe(303);
});

test("a member or key of another organization is not found on an organization's page", async () => {
  const other = await appliance.customer();
  for (const fields of [
    { action: "role", member: other.memberId, role: "member" },
    { action: "suspend", member: other.memberId },
    { action: "reinstate", member: other.memberId },
    { action: "revoke", key: other.keyId },
    { action: "revoke", key: "x" },
  ]) {
    expect((await staff.post(organizationPath(), fields)).status, fields.action).toBe(404);
  }
  expect(auditOf(appliance)).toEqual([]);
  expect((await appliance.get("/v1/me/", other.key)).status).toBe(200);
});

test("an owner is added by mail and chooses a password with its link", async () => {
  const fields = { action: "add-owner", email: "new@example.com", name: "New" };
  expectDone(await staff.post(organizationPath(), fields), "invited");
  await appliance.app.mailer.runDue();
  const [mail] = appliance.ports.mail.sent;
  expect(mail?.to).toEqual(["new@example.com"]);
  const link = /\/account\/choose-password\/\?token=\S+/.exec(mail?.text ?? "")?.[0] ?? "";
  const password = "another good password";
  const chosen = await visitorOf(appliance).post(link, { action: "choose", password });
  expect(chosen.status).toBe(200);
  expect(chosen.html).toContain("knl_");
  const later = await visitorOf(appliance).signIn("new@example.com", password);
  expect(later.location).toBe("/account/");
  const again = await staff.post(organizationPath(), fields);
  expect(again.html).toContain('id="add-owner-email-fault"');
  const entry = auditOf(appliance).find(({ action }) => action === "member.add");
  expect(entry).toMatchObject({ details: { email: "new@example.com" } });
});

test("a password link is shown once, sets one password, and appears in no log", async () => {
  const email = "member@example.com";
  await addPerson(appliance, {
    organizationId: customer.organizationId,
    role: "member",
    email: email,
  });
  const shown = await staff.post(personPath(email), { action: "make-link" });
  expect(shown.status).toBe(200);
  const token = /choose-password\/\?token=([\w-]+)/.exec(shown.html)?.[1] ?? "";
  expect(token.length).toBeGreaterThan(20);
  expect((await staff.get(personPath(email))).html).not.toContain(token);
  expect(JSON.stringify(auditOf(appliance))).not.toContain(token);
  const browser = visitorOf(appliance);
  const path = `/account/choose-password/?token=${token}`;
  const fields = { action: "choose", password: "another good password" };
  expect((await browser.post(path, fields)).status).toBe(303);
  expect((await browser.post(path, fields)).status).toBe(409);
  expect((await browser.signIn(email, "another good password")).status).toBe(303);
});

test("staff end a person's sessions", async () => {
  const email = "member@example.com";
  const browser = await signedInMember(appliance, customer.organizationId, "member", email);
  expect((await staff.get(personPath(email))).html).toMatch(/Sessions<\/dt><dd>1</);
  expectDone(
    await staff.post(personPath(email), { action: "end-sessions" }),
    "person.end-sessions",
  );
  expect((await browser.get("/account/profile/")).status).toBe(303);
  expect(auditOf(appliance).at(-1)).toMatchObject({ action: "person.end-sessions" });
});

test("people are listed with their organizations, including suspended and archived ones", async () => {
  const email = "member@example.com";
  const { memberId: id } = await addPerson(appliance, {
    organizationId: customer.organizationId,
    role: "member",
    email: email,
  });
  await appliance.app.domains.accounts.suspendMember(id, COMMAND_LINE);
  await appliance.app.domains.accounts.archiveOrganization(customer.organizationId, COMMAND_LINE);
  const { html } = await staff.get("/staff/people/?q=member@");
  expect(html).toContain("member, suspended, archived");
  expect(html).not.toContain(`${STAFF}</bdi></a>`);
});

test("people are found by name, whatever its case, page by page", async () => {
  const { people } = appliance.app.domains;
  for (let number = 10; number < 62; number++) {
    await people.ensurePerson({ email: `p${number}@example.com`, name: `Олег ${number}` });
  }
  const first = await staff.get(`/staff/people/?q=${encodeURIComponent("олег")}`);
  const shown = (html: string) => html.match(/href="\/staff\/people\/\w+\/"/g)?.length;
  expect(shown(first.html)).toBe(50);
  const next = /href="([^"]*after=[^"]*)" rel="next"/.exec(first.html)?.[1] ?? "";
  const second = await staff.get(next.replaceAll("&amp;", "&"));
  expect(shown(second.html)).toBe(2);
  expect(second.html).toContain("p61@example.com");
});

test("a webhook whose signing secret cannot be read stays disabled, and the page says why", async () => {
  const id = await webhook();
  const path = `/staff/webhooks/${id}/`;
  await staff.post(path, { action: "disable", reason: "lost" });
  appliance.app.domains.db.exec("UPDATE webhooks SET secret = zeroblob(80)");
  const refused = await staff.post(path, { action: "enable" });
  expect(refused.status).toBe(409);
  expect(refused.html).toContain("have its owner rotate it first");
  const russian = visitorOf(appliance, "ru");
  await russian.signIn(STAFF);
  expect((await russian.post(path, { action: "enable" })).html).toContain("сменить владелец");
  expect(auditOf(appliance).map(({ action }) => action)).not.toContain("webhook.enable");
});

test("staff disable a webhook with a reason that only staff see, and enable it", async () => {
  const id = await webhook();
  const path = `/staff/webhooks/${id}/`;
  const blank = await staff.post(path, { action: "disable", reason: " " });
  expect(blank.html).toContain('id="disable-reason-fault"');
  const long = await staff.post(path, { action: "disable", reason: "x".repeat(501) });
  expect(long.status).toBe(400);
  const reason = "Sends <b>500</b> to all";
  expectDone(await staff.post(path, { action: "disable", reason }), "webhook.disable");
  for (const page of [path, "/staff/webhooks/?disabled=yes"]) {
    expect((await staff.get(page)).html).toContain("Sends &lt;b&gt;500&lt;/b&gt; to all");
  }
  const seen = await appliance.get(`/v1/msgr/webhooks/${id}/`, customer.key);
  expect(seen.body).toMatchObject({ is_active: false, disabled_reason: "staff" });
  expect(JSON.stringify(seen.body)).not.toContain("500");
  expectDone(await staff.post(path, { action: "enable" }), "webhook.enable");
  const ofOther = await staff.get("/staff/webhooks/?organization=999");
  expect(ofOther.html).not.toContain("hooks.example.com");
});

test("a job is run on request, once, and its outcome is shown", async () => {
  expectDone(await staff.post("/staff/jobs/", { action: "run", job: "recount" }), "job.run");
  await appliance.app.scheduler.stop();
  const { html } = await staff.get("/staff/jobs/");
  expect(html.match(/<td>done<\/td>/g)).toHaveLength(1);
  expect(auditOf(appliance).at(-1)).toMatchObject({ action: "job.run", target: "job recount" });
  const none = await staff.post("/staff/jobs/", { action: "run", job: "format-disk" });
  expect(none.status).toBe(404);
});

test("a job that is already running is not started again, and the page says so", async () => {
  const { db } = appliance.app.domains;
  await appliance.app.scheduler.runDue();
  db.prepare("UPDATE jobs SET started_at = ?, finished_at = NULL WHERE name = 'recount'").run(
    appliance.ports.clock.now(),
  );
  const refused = await staff.post("/staff/jobs/", { action: "run", job: "recount" });
  expect(refused.status).toBe(409);
  expect(refused.html).toContain("The job is already running.");
  expect(refused.html).toContain("data-refresh");
  expect(auditOf(appliance)).toEqual([]);
});

test("the database's page shows its size, versions and rows", async () => {
  const { html } = await staff.get("/staff/database/");
  expect(html).toMatch(/Schema version<\/dt><dd>\d+</);
  expect(html).toMatch(/<code>organizations<\/code><\/th><td class="number">2</);
  expect(html).toMatch(/<code>territories<\/code><\/th><td class="number">1,\d{3}</);
});

test("recent errors show what was logged, including what callers must not see", async () => {
  const { db } = appliance.app.domains;
  db.exec("ALTER TABLE mails RENAME TO gone");
  expect((await staff.get("/staff/")).status).toBe(500);
  db.exec("ALTER TABLE gone RENAME TO mails");
  const { html } = await staff.get("/staff/errors/");
  expect(html).toContain("no such table: mails");
  expect(html).toContain(">error</td>");
});

test("recent errors name the work that held the lock, and for how long", async () => {
  const { db } = appliance.app.domains;
  await inTransaction(db, appliance.ports.clock, "slow-work", () => {
    appliance.ports.clock.advance(61);
  });
  const { html } = await staff.get("/staff/errors/");
  expect(html).toContain("the write lock was held for too long");
  expect(html).toContain("<code>work: slow-work, heldMs: 61</code>");
});

test("the audit log has pages, and can be filtered by organization or person", async () => {
  const path = organizationPath();
  for (let times = 0; times < 26; times += 1) {
    await staff.post(path, { action: "archive" });
    await staff.post(path, { action: "restore" });
  }
  await staff.post("/staff/jobs/", { action: "run", job: "recount" });
  const rows = (html: string) => (html.match(/<td><time/g) ?? []).length;
  const byStaff = `/staff/audit/?person=${encodeURIComponent(STAFF)}`;
  const first = await staff.get(byStaff);
  expect(first.html).toContain("<td>job run</td>");
  expect(rows(first.html)).toBe(50);
  const next = /href="(\/staff\/audit\/\?[^"]*after=\d+)"/.exec(first.html)?.[1] ?? "";
  expect(rows((await staff.get(next.replaceAll("&amp;", "&"))).html)).toBe(3);
  const own = await staff.get(`/staff/audit/?organization=${customer.organizationId}`);
  expect(rows(own.html)).toBe(50);
  expect(own.html).not.toContain("<td>job run</td>");
  const unknown = await staff.get("/staff/audit/?organization=99");
  expect(rows(unknown.html)).toBe(0);
  expect(rows((await staff.get("/staff/audit/?organization=acme%20zero")).html)).toBe(0);
  const byCommands = await staff.get("/staff/audit/?person=command-line");
  expect(byCommands.html).toContain("<td>API key created</td>");
  expect(byCommands.html).not.toContain("<td>job run</td>");
});

test("the audit log shows fixed values in its reader's language, and durations in hours", async () => {
  const { db, clock } = appliance.app.domains;
  const by = { person: STAFF, keyId: null };
  const entry = { action: "member.role", id: 1 } as const;
  const details = { before: "member", role: "administrator" };
  const record = (change: AuditEntry) =>
    inTransaction(db, clock, "test", (tx) => recordChange(tx, clock, by, change));
  await record({ ...entry, details });
  const started = { kind: "channels", dryRun: true, overlapMs: 5_400_000 };
  await record({ ...entry, action: "import.start", details: started });
  const russian = visitorOf(appliance, "ru");
  await russian.signIn(STAFF);
  const { html } = await russian.get("/staff/audit/");
  expect(html).toContain("было: <bdi>участник</bdi>, роль: <bdi>администратор</bdi>");
  expect(html).toMatch(/вид: <bdi>[а-я]+<\/bdi>, пробный запуск: <bdi>да<\/bdi>/i);
  expect(html).toContain("часов: <bdi>1,5</bdi>");
});

test("names and addresses written by people are shown as text, without changing direction", async () => {
  const hostile = `<script>alert(1)</script>"'\u202egnp.exe\u2069\u2069\u200f`;
  const { accounts } = appliance.app.domains;
  const made = await accounts.createOrganization({ name: hostile, plan: "profi" }, COMMAND_LINE);
  const member = await accounts.addMember(
    {
      ...{ organizationId: made.id, email: "x@example.com", name: hostile, role: "owner" },
    },
    COMMAND_LINE,
  );
  const { db } = appliance.app.domains;
  // A file of an earlier version may contain what forms refuse today.
  db.prepare("UPDATE members SET email = ? WHERE id = ?").run(
    "<img/src=x>\u202e\u0007@example.com",
    member.id,
  );
  await appliance.app.domains.people.ensurePerson({ email: "hostile@example.com", name: hostile });
  await appliance.app.domains.keys.createKey(
    {
      ...{ memberId: member.id, name: hostile, access: "read_only", expiresAt: null },
    },
    COMMAND_LINE,
  );
  const id = await webhook();
  const update = db.prepare("UPDATE webhooks SET url = ?, last_error = ? WHERE id = ?");
  update.run(hostile, hostile, id);
  await staff.post(`/staff/webhooks/${id}/`, { action: "disable", reason: hostile });
  const pages = [
    ...[...PAGES, `/staff/organizations/${made.id}/`, personPath("hostile@example.com")],
    ...[`/staff/webhooks/${id}/`, `/staff/organizations/?q=${encodeURIComponent(hostile)}`],
  ];
  for (const path of pages) {
    const { status, html } = await staff.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("<img");
    // The visitor's search stays in its field, unchanged.
    const [control] =
      /[\p{Bidi_Control}\p{Cc}].{0,40}/u.exec(html.replace(/<input[^>]*>/g, "")) ?? [];
    expect(control, path).toBeUndefined();
  }
  expect((await staff.get(`/staff/audit/?organization=${made.id}`)).html).toContain(
    `<a href="/staff/organizations/${made.id}/"><bdi>&lt;script&gt;`,
  );
});
