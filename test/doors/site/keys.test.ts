import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import { channel, imported } from "../../support/expectations.ts";
import { signedInMember, staffVisitor, type Visitor, visitorOf } from "../../support/visitor.ts";

const KEYS = "/account/keys/";
const DAY_MS = 24 * 60 * 60 * 1000;

let appliance: Appliance;
let customer: Customer;
let owner: Visitor & { memberId: number };
beforeEach(async () => {
  appliance = await startAppliance();
  customer = await appliance.customer({ access: "read_write" });
  owner = await signedInMember(appliance, customer.organizationId, "owner", "olga@example.com");
});
afterEach(() => appliance.close());

const create = (fields: Record<string, string>, who: Visitor = owner) =>
  who.post(KEYS, { action: "create", name: "robot", access: "read_only", expires: "", ...fields });
const tokenIn = (html: string): string => /knl_r[ow]_\w{38}/.exec(html)?.[0] ?? "";
const isRefused = async (key: string): Promise<boolean> =>
  (await appliance.request("/v1/me/", { key })).status === 401;
describe("creating a key", () => {
  test("happens once, however often its answer is reloaded", async () => {
    const { keys } = appliance.app.domains;
    const before = (await keys.keys(customer.organizationId)).length;
    const { html } = await owner.get(KEYS);
    const once = /name="once" value="([^"]+)"/.exec(html)?.[1] ?? "";
    // The same form may be sent again after a failure.
    expect((await create({ once, name: "" })).status).toBe(400);
    expect(tokenIn((await create({ once })).html)).not.toBe("");
    const again = await create({ once });
    expect(again.status).toBe(409);
    expect(again.html).toContain("This form was already sent");
    expect(tokenIn(again.html)).toBe("");
    expect(await keys.keys(customer.organizationId)).toHaveLength(before + 1);
    const next = /name="once" value="([^"]+)"/.exec(again.html)?.[1] ?? "";
    expect((await create({ once: next })).status).toBe(200);
  });

  test("shows it in the answer, with a command that uses it, and never again", async () => {
    const made = await create({});
    expect(made.status).toBe(200);
    const token = tokenIn(made.html);
    expect(made.html).toContain(`data-copy="${token}"`);
    expect(made.html).toContain(`curl -H &quot;Authorization: Bearer ${token}&quot;`);
    expect(made.headers.get("cache-control")).toBe("no-store");

    const me = await appliance.request("/v1/me/", { key: token });
    expect(me.body.key).toMatchObject({ name: "robot", access: "read_only", expires_at: null });
    expect(me.body.member.id).toBe(owner.memberId);

    const list = await owner.get(KEYS);
    expect(list.html).toContain("robot");
    expect(list.html).toContain(token.slice(0, 11));
    expect(list.html).not.toContain(token.slice(0, 12));
    expect(JSON.stringify(auditOf(appliance))).not.toContain(token.slice(0, 12));
    expect(auditOf(appliance)).toMatchObject([
      { person: "olga@example.com", action: "key.create" },
    ]);
  });

  test("accepts a last day: the key works until that Moscow day ends", async () => {
    const token = tokenIn((await create({ access: "read_write", expires: "2026-11-21" })).html);
    expect(token).toStartWith("knl_rw_");
    const me = await appliance.request("/v1/me/", { key: token });
    expect(me.body.key.expires_at).toBe("2026-11-22T00:00:00+03:00");
    expect((await owner.get(KEYS)).html).toContain('<time datetime="2026-11-21">');
    appliance.ports.clock.set("2026-11-22T00:00:00+03:00");
    expect(await isRefused(token)).toBe(true);
    const row = (await owner.get(KEYS)).html.split("<tr>").find((one) => one.includes(">expired<"));
    expect(row).toContain("<bdi>robot<");
    // Revoking it would change nothing.
    expect(row).not.toContain("Revoke");
  });

  test("reports faults at the field and keeps what was typed", async () => {
    const before = (await appliance.app.domains.keys.keys(customer.organizationId)).length;
    for (const [fields, message] of [
      [{ name: " " }, "This field may not be blank."],
      [{ name: "x".repeat(201) }, "no more than 200 characters"],
      [{ expires: "2026-02-30" }, "Enter a day such as 2027-12-31."],
      [{ expires: "9999-12-31" }, "Enter a day such as 2027-12-31."],
      [{ expires: "2026-11-19" }, "The day is over already."],
      [{ access: "everything" }, "Choose one of the options."],
    ] as const) {
      const answer = await create({ name: "<b>robot</b>", ...fields });
      expect(answer.status, message).toBe(400);
      expect(answer.html).toContain(message);
      expect(answer.html).not.toContain("<b>robot");
      if (!("name" in fields)) expect(answer.html).toContain('value="&lt;b&gt;robot&lt;/b&gt;"');
    }
    expect(await appliance.app.domains.keys.keys(customer.organizationId)).toHaveLength(before);
  });

  test("requires a form token", async () => {
    const answer = await owner.post(KEYS, { action: "create", name: "robot", csrf: "stolen" });
    expect(answer.html).not.toContain("knl_ro_");
    expect(answer.html).toContain("The page was open for too long");
  });
});

describe("a member", () => {
  test("sees and revokes only their own keys", async () => {
    const member = await signedInMember(
      appliance,
      customer.organizationId,
      "member",
      "max@example.com",
    );
    const others = tokenIn((await create({ name: "of the owner" })).html);
    const own = tokenIn((await create({ name: "of mine" }, member)).html);
    const { html } = await member.get(KEYS);
    expect(html).toContain("of mine");
    expect(html).not.toContain("of the owner");

    const ids = await appliance.app.domains.keys.keys(customer.organizationId);
    const idOf = (name: string) => ids.find((key) => key.name === name)?.id ?? 0;
    const refused = await member.post(KEYS, { action: "revoke", key: idOf("of the owner") });
    expect(refused.status).toBe(404);
    expect(refused.html).toContain("This key does not exist or is not yours.");
    expect(await isRefused(others)).toBe(false);

    const revoked = await member.post(KEYS, { action: "revoke", key: idOf("of mine") });
    expect(revoked.location).toBe(`${KEYS}?done=revoked`);
    expect(await isRefused(own)).toBe(true);
  });
});

describe("an owner or administrator", () => {
  test("sees and revokes all keys of the organization, and none of another", async () => {
    const administrator = await signedInMember(
      appliance,
      customer.organizationId,
      "administrator",
      "anna@example.com",
    );
    const foreign = await appliance.customer();
    const { html } = await administrator.get(KEYS);
    expect(html).toContain(customer.key.slice(0, 11));
    expect(html).not.toContain(foreign.key.slice(0, 11));
    for (const key of [foreign.keyId, 9999, "x", ""]) {
      const refused = await administrator.post(KEYS, { action: "revoke", key });
      expect(refused.status).toBe(404);
    }
    expect(await isRefused(foreign.key)).toBe(false);
    await administrator.post(KEYS, { action: "revoke", key: customer.keyId });
    expect(await isRefused(customer.key)).toBe(true);
    expect((await administrator.get(KEYS)).html).toContain("revoked");
    expect(auditOf(appliance).at(-1)).toMatchObject({
      person: "anna@example.com",
      action: "key.revoke",
      target: `key ${customer.keyId}`,
    });
  });

  test("nobody else sees the page", async () => {
    const stranger = visitorOf(appliance);
    expect((await stranger.get(KEYS)).location).toBe("/account/sign-in/?next=%2Faccount%2Fkeys%2F");
  });
});

describe("webhooks on the page", () => {
  let id: number;
  beforeEach(async () => {
    await imported(appliance, "channels", [channel(1)]);
    id = await addWebhook(customer);
  });

  async function addWebhook({ key }: Customer): Promise<number> {
    const answer = await appliance.request("/v1/msgr/webhooks/", {
      method: "POST",
      key,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: "https://receiver.example/hook?token=hush", channels: [1] }),
    });
    expect(answer.status).toBe(201);
    return answer.body.id;
  }
  async function disable(): Promise<void> {
    const answer = await appliance.request(`/v1/msgr/webhooks/${id}/`, {
      method: "PATCH",
      key: customer.key,
      headers: { "content-type": "application/json" },
      body: '{"is_active": false}',
    });
    expect(answer.status).toBe(200);
  }
  const isActive = async (): Promise<boolean> =>
    (await appliance.request(`/v1/msgr/webhooks/${id}/`, { key: customer.key })).body.is_active;
  const enable = (who: Visitor, webhook: number = id) =>
    who.post(KEYS, { action: "enable", webhook });

  test("a button enables a disabled webhook; an active one has no button", async () => {
    expect((await owner.get(KEYS)).html).not.toContain('value="enable"');
    await disable();
    const { html } = await owner.get(KEYS);
    expect(html).toContain('value="enable"');
    expect(html).toContain("disabled</span> by your organization");
    expect((await enable(owner)).location).toBe(`${KEYS}?done=enabled`);
    expect(await isActive()).toBe(true);
    expect(auditOf(appliance).at(-1)).toMatchObject({
      ...{ person: "olga@example.com", action: "webhook.enable", target: `webhook ${id}` },
    });
    // The address may contain a secret.
    expect(JSON.stringify(auditOf(appliance))).not.toContain("hush");
  });

  test("one that staff disabled is refused with a message in the visitor's language", async () => {
    await appliance.app.domains.webhooks.disable(id, "", COMMAND_LINE);
    const refused = await enable(owner);
    expect(refused.status).toBe(409);
    expect(refused.html).toContain("The webhook was disabled by staff: contact support.");
    const reader = visitorOf(appliance, "ru");
    await reader.signIn("olga@example.com");
    expect((await enable(reader)).html).toContain("Вебхук отключён службой поддержки");
    expect(await isActive()).toBe(false);
    expect(auditOf(appliance).map(({ action }) => action)).toEqual(["webhook.create"]);
  });

  test("one that the plan has no room for stays disabled", async () => {
    await disable();
    await appliance.app.domains.accounts.givePlan(
      customer.organizationId,
      "start",
      null,
      COMMAND_LINE,
    );
    const refused = await enable(owner);
    expect(refused.status).toBe(403);
    expect(refused.html).toContain("Your current plan does not include this.");
    appliance.ports.clock.advance(DAY_MS);
    await appliance.app.domains.accounts.givePlan(
      customer.organizationId,
      "growth",
      null,
      COMMAND_LINE,
    );
    expect(await isActive()).toBe(false);
  });

  test("members cannot enable one, nor can anybody enable another organization's", async () => {
    await disable();
    const { organizationId } = customer;
    const member = await signedInMember(appliance, organizationId, "member", "max@example.com");
    expect((await member.get(KEYS)).html).not.toContain('value="enable"');
    const refused = await enable(member);
    expect(refused.status).toBe(403);
    expect(refused.html).toContain("Only owners and administrators");
    const foreign = await appliance.customer();
    const stranger = await signedInMember(
      appliance,
      foreign.organizationId,
      "owner",
      "eve@example.com",
    );
    expect((await enable(stranger)).status).toBe(404);
    expect((await stranger.get(KEYS)).html).not.toContain("receiver.example");
    expect(await isActive()).toBe(false);
  });
});

describe("the prefix for the documentation's snippets", () => {
  const prefixFor = async (who: Visitor): Promise<unknown> => {
    const { status, headers, body } = await who.get(`${KEYS}prefix/`);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    return body;
  };

  test("belongs to the visitor's own newest working key", async () => {
    expect(await prefixFor(visitorOf(appliance))).toEqual({ isUsed: false, prefix: null });
    expect(await prefixFor(owner)).toEqual({ isUsed: false, prefix: null });
    const first = tokenIn((await create({})).html);
    const second = tokenIn((await create({ expires: "2026-11-21" })).html);
    expect(await prefixFor(owner)).toEqual({ isUsed: false, prefix: second.slice(0, 11) });
    appliance.ports.clock.advance(2 * DAY_MS);
    expect(await prefixFor(owner)).toEqual({ isUsed: false, prefix: first.slice(0, 11) });
    expect((await appliance.get("/v1/me/", first)).status).toBe(200);
    expect(await prefixFor(owner)).toEqual({ isUsed: true, prefix: first.slice(0, 11) });
    await owner.post(KEYS, { action: "revoke", key: "2" });
    expect(await prefixFor(owner)).toEqual({ isUsed: false, prefix: null });
  });
});

describe("many keys", () => {
  /** Keys of the customer's owner, every seventh revoked. */
  const make = (count: number) =>
    appliance.app.domains.db.exec(`
      WITH RECURSIVE series (value) AS (
        SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < ${count})
      INSERT INTO keys (member_id, name, prefix, hash, access, created_at, revoked_at)
      SELECT ${customer.memberId}, 'robot-' || value || '.', 'knl_ro_0000', randomblob(32), 'read_only',
        0, iif(value % 7 = 0, 1, NULL)
      FROM series`);
  const namesIn = (html: string) =>
    [...html.matchAll(/<bdi>(robot-\d+)\.</g)].map(([, name]) => name);
  const ENDED = "<summary>Keys that no longer work<";
  const nextIn = (html: string) =>
    /<a href="([^"]*)"[^>]*>(?:Next page|Earlier →)</.exec(html)?.[1];

  async function collect(visitor: Visitor, path: string, part: (html: string) => string) {
    const found: unknown[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const html = part((await visitor.get(next.replaceAll("&amp;", "&"))).html);
      const names = namesIn(html);
      expect(names.length).toBeLessThanOrEqual(50);
      found.push(...names);
      next = nextIn(html);
    }
    return found;
  }

  test("are shown page by page, working and ended ones separately", async () => {
    make(210);
    const working = await collect(owner, KEYS, (html) => html.split(ENDED)[0] ?? "");
    const ended = await collect(owner, KEYS, (html) => html.split(ENDED)[1] ?? "");
    expect([working.length, ended.length]).toEqual([180, 30]);
    expect(new Set([...working, ...ended]).size).toBe(210);
    expect(working[0]).toBe("robot-209");
    make(400);
    const many = await collect(owner, KEYS, (html) => html.split(ENDED)[1] ?? "");
    expect(many).toHaveLength(30 + 57);
  });

  test("are shown to staff page by page", async () => {
    make(120);
    const staff = await staffVisitor(appliance);
    const path = `/staff/organizations/${customer.organizationId}/`;
    const all = await collect(staff, path, (html) => html);
    expect(all).toHaveLength(120);
    expect(new Set(all).size).toBe(120);
  });
});
