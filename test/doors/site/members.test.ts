import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import { type FakeMail, fakePorts } from "../../support/fake-ports.ts";
import {
  addPerson,
  PASSWORD,
  signedInMember,
  staffVisitor,
  type Visitor,
  visitorOf,
} from "../../support/visitor.ts";

const MEMBERS = "/account/members/";

let appliance: Appliance;
let customer: Customer;
let owner: Visitor & { memberId: number };
async function start(hasMail: boolean): Promise<void> {
  const ports = fakePorts();
  if (!hasMail) ports.mail = null as unknown as FakeMail;
  appliance = await startAppliance({}, ports);
  customer = await appliance.customer();
  owner = await join("owner", "olga@example.com");
}
beforeEach(() => start(true));
afterEach(() => appliance.close());

const join = (role: "owner" | "administrator" | "member", email: string) =>
  signedInMember(appliance, customer.organizationId, role, email);
const member = (id: number) => appliance.app.domains.accounts.member(id);
const memberByEmail = async (email: string) =>
  (await appliance.app.domains.accounts.members(customer.organizationId)).find(
    (one) => one.email === email,
  );
const act = (who: Visitor, action: string, id: number, more: Record<string, string> = {}) =>
  who.post(MEMBERS, { action, member: id, ...more });
const invite = (who: Visitor, fields: Record<string, string>) =>
  who.post(MEMBERS, { action: "invite", name: "New", role: "member", ...fields });
/** Address for choosing a password. */
const linkIn = (text: string): string =>
  /\/account\/choose-password\/\?token=[\w-]+/.exec(text)?.[0] ?? "";

async function choosePassword(link: string, isFirst = true): Promise<void> {
  const token = new URL(link, "http://localhost").searchParams.get("token") ?? "";
  const answer = await visitorOf(appliance).post(link, {
    action: "choose",
    token,
    password: PASSWORD,
  });
  if (isFirst) expect(answer.html).toContain("Make your first call");
  else expect(answer.location).toBe("/account/sign-in/?done=password");
}

describe("an invitation", () => {
  test("is mailed with a link, with which the invited person chooses a password and signs in", async () => {
    const answer = await invite(owner, { email: "nina@example.com", role: "administrator" });
    expect(answer.location).toBe(`${MEMBERS}?done=invited`);
    await appliance.app.mailer.runDue();
    const [mail] = appliance.ports.mail.sent;
    expect(mail?.to).toEqual(["nina@example.com"]);
    expect(mail?.text).toContain("olga");
    await choosePassword(linkIn(mail?.text ?? ""));
    const nina = visitorOf(appliance);
    expect((await nina.signIn("nina@example.com")).location).toBe("/account/");
    expect((await nina.get(MEMBERS)).html).toContain('value="invite"');
    expect((await memberByEmail("nina@example.com"))?.role).toBe("administrator");
    expect(auditOf(appliance)).toMatchObject([
      { person: "olga@example.com", action: "member.add" },
      { person: "nina@example.com", action: "key.create" },
    ]);
  });

  test("to somebody who has a password contains no link for choosing one", async () => {
    const other = await appliance.customer();
    await addPerson(appliance, {
      organizationId: other.organizationId,
      role: "owner",
      email: "eve@example.com",
    });
    await invite(owner, { email: "eve@example.com" });
    await appliance.app.mailer.runDue();
    const text = appliance.ports.mail.sent[0]?.text ?? "";
    expect(text).toContain("/account/");
    expect(linkIn(text)).toBe("");
  });

  test("reports faults at the field and keeps what was typed", async () => {
    for (const [fields, message] of [
      [{ email: "nobody" }, "Enter a valid email address."],
      [{ email: "olga@example.com" }, "is already a member of this organization"],
      [{ email: "OLGA@example.com" }, "is already a member of this organization"],
      [{ email: "nina@example.com", name: " " }, "This field may not be blank."],
      [{ email: "nina@example.com", role: "king" }, "Choose one of the options."],
    ] as const) {
      const answer = await invite(owner, fields);
      expect(answer.status).toBe(400);
      expect(answer.html).toContain(message);
      expect(answer.html).toContain(`value="${fields.email}"`);
    }
    expect(await memberByEmail("nina@example.com")).toBeUndefined();
    const reader = visitorOf(appliance, "ru");
    await reader.signIn("olga@example.com");
    const answer = await invite(reader, { email: "nobody" });
    expect(answer.html).toContain("Введите адрес электронной почты.");
  });

  test("is answered the same for an address that already has an account", async () => {
    const other = await appliance.customer();
    await addPerson(appliance, {
      organizationId: other.organizationId,
      email: "knows@example.com",
    });
    const answers: unknown[] = [];
    for (const email of ["knows@example.com", "fresh@example.com"]) {
      const { status, location } = await invite(owner, { email });
      const { html } = await owner.get(MEMBERS);
      const [row = ""] = html.split("<tr>").filter((one) => one.includes(email));
      const plain = row.replaceAll(email, "").replace(/name="member" value="\d+"/g, "");
      answers.push({ status, location, plain });
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  test("is limited to 30 per hour, by person and by organization", async () => {
    const invited = async (who: Visitor, from: number, count: number) => {
      const statuses: number[] = [];
      for (let at = from; at < from + count; at += 1) {
        statuses.push((await invite(who, { email: `x${at}@example.com` })).status);
      }
      return statuses;
    };
    expect(await invited(owner, 0, 21)).toEqual([...Array(20).fill(303), 429]);
    const administrator = await join("administrator", "anna@example.com");
    const refused = await invite(administrator, { email: "y@example.com" });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("360");
    expect(refused.html).toContain("Too many invitations. Try again in 6 minutes,");
    expect(refused.html).toContain('value="y@example.com"');
    appliance.ports.clock.advance(60 * 60_000);
    expect(await invited(administrator, 30, 11)).toEqual([...Array(10).fill(303), 429]);
  });

  test("to a member who has a password is a link for a new password", async () => {
    const max = await join("member", "max@example.com");
    expect((await owner.get(MEMBERS)).html).toContain("for choosing a new password");
    const answer = await act(owner, "link", max.memberId);
    expect(answer.location).toBe(`${MEMBERS}?done=linked`);
    await appliance.app.mailer.runDue();
    const [mail] = appliance.ports.mail.sent;
    expect(mail?.subject).toContain("A new password for Kanalog");
    await choosePassword(linkIn(mail?.text ?? ""), false);
  });

  test("requires an owner or administrator; inviting an owner requires an owner", async () => {
    const administrator = await join("administrator", "anna@example.com");
    const plain = await join("member", "max@example.com");
    expect((await plain.get(MEMBERS)).html).not.toContain('value="invite"');
    const email = "nina@example.com";
    for (const [who, role, sentence] of [
      [plain, "member", "Only owners and administrators"],
      [administrator, "owner", "Only owners can add or change owners."],
    ] as const) {
      const refused = await invite(who, { email, role });
      expect(refused.status).toBe(403);
      expect(refused.html).toContain(sentence);
    }
    expect(await memberByEmail(email)).toBeUndefined();
    expect((await invite(administrator, { email })).status).toBe(303);
    expect((await invite(owner, { email: "otto@example.com", role: "owner" })).status).toBe(303);
    expect(auditOf(appliance)).toHaveLength(2);
  });
});

describe("if no mail can be sent", () => {
  beforeEach(async () => {
    await appliance.close();
    await start(false);
  });

  test("the inviter gets the link once, in the answer", async () => {
    const answer = await invite(owner, { email: "nina@example.com" });
    expect(answer.status).toBe(200);
    const link = linkIn(answer.html);
    expect(link).not.toBe("");
    expect((await owner.get(MEMBERS)).html).not.toContain("choose-password");
    await choosePassword(link);
    expect((await visitorOf(appliance).signIn("nina@example.com")).status).toBe(303);

    const id = (await memberByEmail("nina@example.com"))?.id ?? 0;
    const again = await act(owner, "link", id);
    expect(again.status).toBe(200);
    const dud = linkIn(again.html);
    expect(dud.length).toBe(link.length);
    const token = dud.split("token=")[1] ?? "";
    const chosen = { action: "choose", token, password: "another long password" };
    const refused = await visitorOf(appliance).post(dud, chosen);
    expect(refused.status).toBe(409);
    expect(refused.html).toContain("or you already have a password here");
    expect((await visitorOf(appliance).signIn("nina@example.com")).status).toBe(303);
  });

  test("a lost link can be created again, also for a member added on the command line", async () => {
    await invite(owner, { email: "nina@example.com" });
    for (const email of ["nina@example.com", "ada@example.com"]) {
      const again = await act(owner, "link", (await memberByEmail(email))?.id ?? 0);
      await choosePassword(linkIn(again.html));
      expect((await visitorOf(appliance).signIn(email)).status).toBe(303);
    }
  });

  test("no link opens the account of staff, or of another organization's member", async () => {
    const other = await appliance.customer();
    const { accounts } = appliance.app.domains;
    await accounts.addMember(
      {
        organizationId: other.organizationId,
        email: "eve@example.com",
        name: "Eve",
        role: "owner",
      },
      COMMAND_LINE,
    );
    const opens = async (html: string) => {
      const link = linkIn(html);
      const token = link.split("token=")[1] ?? "";
      const chosen = { action: "choose", token, password: "another long password" };
      return (await visitorOf(appliance).post(link, chosen)).status === 303;
    };
    const { html } = await invite(owner, { email: "eve@example.com" });
    expect(await opens(html)).toBe(false);

    await invite(owner, { email: "sam@example.com" });
    appliance.app.domains.db.exec("UPDATE people SET is_staff = 1 WHERE email = 'sam@example.com'");
    const again = await act(owner, "link", (await memberByEmail("sam@example.com"))?.id ?? 0);
    expect(await opens(again.html)).toBe(false);
  });

  test("the answer is the same whether or not the address has an account", async () => {
    const other = await appliance.customer();
    await addPerson(appliance, {
      organizationId: other.organizationId,
      email: "knows@example.com",
    });
    const answers: string[] = [];
    for (const email of ["knows@example.com", "fresh@example.com"]) {
      const { status, html } = await invite(owner, { email });
      expect(status).toBe(200);
      answers.push(html.replaceAll(/token=[a-zA-Z0-9]{24}\b/g, "token="));
    }
    expect(answers[0]).toBe(answers[1] ?? "");
    const knows = visitorOf(appliance);
    await knows.signIn("knows@example.com");
    expect((await knows.get(MEMBERS)).html).toContain(">Acme</option>");
  });

  test("an administrator gets no link for an owner", async () => {
    const administrator = await join("administrator", "anna@example.com");
    const refused = await act(administrator, "link", customer.memberId);
    expect(refused.status).toBe(403);
    expect(refused.html).not.toContain("choose-password");
  });
});

describe("suspending", () => {
  test("ends a member's keys and sessions immediately; restoring brings the keys back", async () => {
    const max = await join("member", "max@example.com");
    const { keys } = appliance.app.domains;
    const made = {
      memberId: max.memberId,
      name: "",
      access: "read_only",
      expiresAt: null,
    } as const;
    const { token } = await keys.createKey(made, COMMAND_LINE);
    const status = async () => (await appliance.request("/v1/me/", { key: token })).status;
    expect(await status()).toBe(200);

    const answer = await act(owner, "suspend", max.memberId);
    expect(answer.location).toBe(`${MEMBERS}?done=suspended`);
    expect(await status()).toBe(401);
    expect((await max.get("/account/keys/")).location).toStartWith("/account/sign-in/");
    await max.signIn("max@example.com");
    expect((await max.get("/account/keys/")).location).toBe("/account/profile/");

    await act(owner, "restore", max.memberId);
    expect(await status()).toBe(200);
    expect((await max.get("/account/keys/")).status).toBe(200);
    expect(auditOf(appliance).map(({ action }) => action)).toEqual([
      "member.suspend",
      "member.restore",
    ]);
  });

  test("is refused for oneself, to an administrator for an owner, and to members", async () => {
    const administrator = await join("administrator", "anna@example.com");
    const max = await join("member", "max@example.com");
    for (const [who, id, status, sentence] of [
      [owner, owner.memberId, 409, "You cannot suspend yourself"],
      [administrator, administrator.memberId, 409, "You cannot suspend yourself"],
      [administrator, owner.memberId, 403, "Only owners can add or change owners."],
      [max, administrator.memberId, 403, "Only owners and administrators"],
    ] as const) {
      const refused = await act(who, "suspend", id);
      expect(refused.status).toBe(status);
      expect(refused.html).toContain(sentence);
      expect((await member(id)).suspendedAt).toBeNull();
    }
    expect((await act(owner, "suspend", customer.memberId)).status).toBe(303);
    const refused = await act(administrator, "restore", customer.memberId);
    expect(refused.status).toBe(403);
  });
});

describe("changing a role", () => {
  test("takes effect from the next request on", async () => {
    const max = await join("member", "max@example.com");
    expect((await max.get(MEMBERS)).html).not.toContain('value="invite"');
    const answer = await act(owner, "role", max.memberId, { role: "administrator" });
    expect(answer.location).toBe(`${MEMBERS}?done=role`);
    expect((await max.get(MEMBERS)).html).toContain('value="invite"');
    expect(auditOf(appliance)).toMatchObject([
      { action: "member.role", details: { before: "member", role: "administrator" } },
    ]);
  });

  test("leaves an organization at least one owner who is not suspended", async () => {
    await act(owner, "suspend", customer.memberId);
    const refused = await act(owner, "role", owner.memberId, { role: "member" });
    expect(refused.status).toBe(409);
    expect(refused.html).toContain("This is the last owner");
    await act(owner, "restore", customer.memberId);
    expect((await act(owner, "role", owner.memberId, { role: "member" })).status).toBe(303);
    expect((await member(owner.memberId)).role).toBe("member");
  });

  test("leaves one of two owners who demote each other at once", async () => {
    const other = await join("owner", "otto@example.com");
    await act(owner, "role", customer.memberId, { role: "member" });
    const { accounts } = appliance.app.domains;
    const both = await Promise.all([
      accounts.changeMemberAs(owner.memberId, other.memberId, { role: "member" }),
      accounts.changeMemberAs(other.memberId, owner.memberId, { role: "member" }),
    ]);
    expect(both.map(({ ok }) => ok).sort()).toEqual([false, true]);
  });

  test("to or from owner is refused to administrators, and any change to members", async () => {
    const administrator = await join("administrator", "anna@example.com");
    const max = await join("member", "max@example.com");
    for (const [who, id, role] of [
      [administrator, owner.memberId, "member"],
      [administrator, max.memberId, "owner"],
      [administrator, administrator.memberId, "owner"],
      [max, max.memberId, "administrator"],
    ] as const) {
      const before = (await member(id)).role;
      expect((await act(who, "role", id, { role })).status).toBe(403);
      expect((await member(id)).role).toBe(before);
    }
    expect((await act(owner, "role", max.memberId, { role: "king" })).status).toBe(400);
  });
});

test("another organization's members are neither shown nor found", async () => {
  const other = await appliance.customer();
  const stranger = await signedInMember(
    appliance,
    other.organizationId,
    "owner",
    "eve@example.com",
  );
  expect((await stranger.get(MEMBERS)).html).not.toContain("olga@example.com");
  for (const action of ["role", "suspend", "restore", "link"]) {
    const refused = await act(stranger, action, owner.memberId, { role: "member" });
    expect(refused.status, action).toBe(404);
    expect(refused.html).toContain("This member does not exist.");
  }
  expect(await member(owner.memberId)).toMatchObject({ role: "owner", suspendedAt: null });
});

test("names are shown as text, whatever they contain", async () => {
  const { accounts } = appliance.app.domains;
  const name = '<script>alert("1")</script>\u202e';
  const { organizationId } = customer;
  await accounts.addMember(
    { organizationId, email: "x@example.com", name, role: "member" },
    COMMAND_LINE,
  );
  const { html } = await owner.get(MEMBERS);
  expect(html).not.toContain("<script>alert");
  expect(html).toContain("<bdi>&lt;script&gt;");
});

describe("a password that somebody else may have chosen", () => {
  beforeEach(async () => {
    await appliance.close();
    await start(false);
  });

  /** The owner opens the copied link in place of the invited person. */
  async function takeOver(email: string): Promise<Visitor> {
    const { html } = await invite(owner, { email });
    const token = /choose-password\/\?token=([\w-]+)/.exec(html)?.[1] ?? "";
    const thief = visitorOf(appliance);
    const path = `/account/choose-password/?token=${token}`;
    const chosen = await thief.post(path, { action: "choose", token, password: PASSWORD });
    expect(chosen.html).toContain("Make your first call");
    return thief;
  }

  test("is removed before the person becomes staff", async () => {
    const thief = await takeOver("boss@example.com");
    const { people } = appliance.app.domains;
    expect(await people.removeUnverifiedPassword("boss@example.com")).toBe(false);
    await people.markStaff({ email: "boss@example.com", isStaff: true, by: COMMAND_LINE });
    expect((await thief.get("/staff/")).status).toBe(303);
    expect((await thief.signIn("boss@example.com")).status).toBe(400);
    // A password chosen with the operator's link is trusted.
    const token = (await people.passwordLink({ email: "boss@example.com", isTrusted: true })) ?? "";
    const boss = visitorOf(appliance);
    const path = `/account/choose-password/?token=${token}`;
    await boss.post(path, { action: "choose", token, password: PASSWORD });
    await boss.signIn("boss@example.com");
    expect((await boss.get("/staff/")).status).toBe(200);
    expect(await people.removeUnverifiedPassword("boss@example.com")).toBe(true);
  });

  test("opens no other organization that invites the address", async () => {
    const thief = await takeOver("boss@example.com");
    const other = await appliance.customer();
    const alpha = await signedInMember(appliance, other.organizationId, "owner", "al@example.com");
    expect((await invite(alpha, { email: "boss@example.com" })).status).toBe(200);
    const { accounts, people } = appliance.app.domains;
    const { organizationId } = other;
    const isThere = async (who: Visitor) =>
      (await who.get(MEMBERS)).html.includes("al@example.com");
    expect(await isThere(thief)).toBe(false);
    expect((await thief.get("/account/profile/")).html).toContain(
      "opens once your email address is confirmed",
    );
    await accounts.suspendMember((await memberByEmail("boss@example.com"))?.id ?? 0, COMMAND_LINE);
    expect(await isThere(thief)).toBe(false);
    // A password chosen with the operator's link is trusted.
    const token = (await people.passwordLink({ email: "boss@example.com", isTrusted: true })) ?? "";
    await choosePassword(`/account/choose-password/?token=${token}`, false);
    const boss = visitorOf(appliance);
    await boss.signIn("boss@example.com");
    expect(await isThere(boss)).toBe(true);
    expect(await accounts.members(organizationId)).toHaveLength(3);
  });
});

test("members are shown page by page, to themselves and to staff", async () => {
  appliance.app.domains.db.exec(`
    WITH RECURSIVE series (value) AS (
      SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < 120)
    INSERT INTO members (organization_id, email, name, role, created_at)
    SELECT ${customer.organizationId}, 'many-' || value || '@example.com', '', 'member', 0 FROM series`);
  const staff = await staffVisitor(appliance);
  for (const [who, path] of [
    [owner, MEMBERS],
    [staff, `/staff/organizations/${customer.organizationId}/`],
  ] as const) {
    const found = new Set<string | undefined>();
    for (let at: string | undefined = path, page = 1; at !== undefined; page++) {
      const { html } = await who.get(at);
      const next = /href="([^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
      at = who === owner && page < 3 ? `${path}?page=${page + 1}` : next;
      const shown = new Set([...html.matchAll(/<bdi>(many-\d+)@/g)].map(([, name]) => name));
      expect(shown.size).toBeLessThanOrEqual(50);
      for (const name of shown) found.add(name);
    }
    expect(found.size).toBe(120);
  }
});
