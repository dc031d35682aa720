import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { connectSnippets } from "../../../src/customers/keys/connect-snippets.ts";
import { sumByDayAndMethod } from "../../../src/doors/site/pages/organization/usage-tables.tsx";
import { retain } from "../../../src/upkeep/retention/retain.ts";
import { parseDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { signedInMember, staffVisitor, type Visitor } from "../../support/visitor.ts";

let appliance: Appliance;
let customer: Customer;
let owner: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  customer = await appliance.customer({ plan: "start" });
  owner = await signedInMember(appliance, customer.organizationId, "owner", "olga@example.com");
  await imported(appliance, "channels", [channel(1)]);
});
afterEach(() => appliance.close());

const daysIn = (html: string): string[] =>
  [...html.matchAll(/<th scope="row" data-value="([\d-]+)"/g)].map((match) => match[1] ?? "");
/** Requests, units and errors of the row that contains a text. */
const numbersOf = (html: string, text: string): number[] => {
  const row = html.split("<tr>").find((one) => one.includes(text)) ?? "";
  const cells = row.matchAll(/<td class="number[^"]*"[^>]*>([\d,]+)</g);
  return [...cells].map(([, text = ""]) => Number(text.replace(",", "")));
};
async function use(): Promise<void> {
  await appliance.get("/v1/msgr/channels/1/", customer.key);
  await appliance.get("/v1/msgr/channels/77/", customer.key);
  await appliance.get("/v1/me/", customer.key);
}

test("usage by key shows the 50 most used keys, and all others in one line", async () => {
  const { db } = appliance.app.domains;
  db.exec(`
    WITH RECURSIVE series (value) AS (
      SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < 60)
    INSERT INTO keys (member_id, name, prefix, hash, access, created_at)
    SELECT ${customer.memberId}, 'robot ' || value, 'knl_ro_0000', randomblob(32), 'read_only', 0 FROM series`);
  db.exec(`
    INSERT INTO usage_days (organization_id, day, method, key_id, status, requests, units)
    SELECT ${customer.organizationId}, unixepoch('2026-11-19') / 86400, 'me_retrieve', id, 200,
      substr(name, 7) + 0, 0
    FROM keys WHERE name LIKE 'robot %'`);
  const { html } = await owner.get("/account/?days=7");
  const table = html.split(">Usage by key<")[1]?.split("</table>")[0] ?? "";
  expect(table.match(/<bdi>robot \d+</g)).toHaveLength(50);
  expect(numbersOf(table, "<bdi>robot 60<")).toEqual([60, 0, 0]);
  expect(numbersOf(table, "<bdi>robot 11<")).toEqual([11, 0, 0]);
  expect(numbersOf(table, "10 other keys")).toEqual([55, 0, 0]);
  expect(numbersOf(table, ">Total<")).toEqual([1830, 0, 0]);
  // The choice of a key for the last requests does not list them all either.
  expect(html.match(/<option value="\d+"/g)?.length).toBeLessThanOrEqual(50);
});

test("a new customer is shown one next step at a time, and nothing after two weeks", async () => {
  const step = async (query = "") =>
    /Next step: <a href="([^"]*)"/.exec((await owner.get(`/account/${query}`)).html)?.[1];
  expect(await step()).toBeUndefined();
  await use();
  expect(await step()).toBe("/docs/clients/");
  await appliance.app.domains.accounts.givePlan(
    customer.organizationId,
    "growth",
    null,
    COMMAND_LINE,
  );
  expect(await step()).toBe("/account/webhooks/");
  appliance.ports.network.names.set("example.com", ["93.184.215.14"]);
  const form = { action: "create", url: "https://example.com/hook", channels: "1" };
  expect((await owner.post("/account/webhooks/", form)).status).toBeLessThan(400);
  expect(await step()).toBe("/docs/clients/");
  for (let at = 0; at < 100; at++) await appliance.get("/v1/me/", customer.key);
  expect(await step()).toBe("/account/connect/");
  // What was done counts, not only what the chosen days show.
  appliance.ports.clock.advance(8 * 24 * 60 * 60 * 1000);
  owner = await signedInMember(appliance, customer.organizationId, "owner", "ann@example.com");
  expect(await step("?days=7")).toBe("/account/connect/");
  appliance.ports.clock.advance(7 * 24 * 60 * 60 * 1000);
  owner = await signedInMember(appliance, customer.organizationId, "owner", "eve@example.com");
  await use();
  expect(await step()).toBeUndefined();
});

test("usage is shown by day and by method, with every day of the range", async () => {
  await use();
  appliance.ports.clock.advance(24 * 60 * 60 * 1000);
  await use();
  const { html } = await owner.get("/account/?days=7");
  const days = daysIn(html.split('id="requests-by-method"')[0] ?? "");
  expect(days).toHaveLength(7);
  expect(days[0]).toBe("2026-11-15");
  expect(days.at(-1)).toBe("2026-11-21");
  expect(numbersOf(html, 'data-value="2026-11-19"')).toEqual([0, 0, 0]);
  expect(numbersOf(html, 'data-value="2026-11-20"')).toEqual([3, 2, 1]);
  expect(numbersOf(html, 'data-value="2026-11-21"')).toEqual([3, 2, 1]);
  expect(numbersOf(html, "GET /v1/msgr/channels/:channel/")).toEqual([4, 4, 2]);
  expect(numbersOf(html, "GET /v1/me/<")).toEqual([2, 0, 0]);
  expect(numbersOf(html, ">Total<")).toEqual([6, 4, 2]);
  for (const [counted, used] of [
    ["requests", [2, 1]],
    ["units", [2, 0]],
  ] as const) {
    const [, rest = ""] = html.split(`<table id="${counted}-by-method">`);
    // Paths may continue on the next line after each slash.
    const table = rest.replace(/<\/table>.*/s, "").replaceAll("<wbr/>", "");
    expect(table).toMatch(/Day<.*GET \/v1\/msgr\/channels\/:channel\/<.*GET \/v1\/me\/</s);
    expect(daysIn(table)).toEqual(days);
    expect(numbersOf(table, 'data-value="2026-11-19"')).toEqual([0, 0]);
    expect(numbersOf(table, 'data-value="2026-11-21"')).toEqual([...used]);
  }
});

test("methods beyond the five most requested ones share one column by day", () => {
  const rows = [9, 8, 7, 6, 5, 4, 3].map((requests) => {
    return { day: "2026-11-20", method: `m${requests}`, key: 1, requests, units: 1, errors: 0 };
  });
  const day = parseDay("2026-11-20") ?? 0;
  const { methods, days } = sumByDayAndMethod(rows, day - 1, day);
  expect(methods).toEqual(["m9", "m8", "m7", "m6", "m5", null]);
  expect(days.map(({ sums }) => sums.map(({ requests }) => requests))).toEqual([
    [0, 0, 0, 0, 0, 0],
    [9, 8, 7, 6, 5, 7],
  ]);
});

test("viewing pages costs nothing and is not counted", async () => {
  await owner.get("/account/");
  await owner.get("/account/keys/");
  const me = await appliance.get("/v1/me/", customer.key);
  expect(me.body.usage.used).toBe(0);
});

test("the range is 7, 30 or 90 days, and 30 for any other value", async () => {
  await use();
  for (const [days, shown] of [
    ["7", 7],
    ["30", 30],
    ["90", 90],
    ["31", 30],
    ["x", 30],
    ["", 30],
  ] as const) {
    const { html, status } = await owner.get(`/account/?days=${days}`);
    expect(status).toBe(200);
    expect(daysIn(html.split('id="requests-by-method"')[0] ?? "")).toHaveLength(shown);
    expect(html).toContain(`href="?days=${shown}" aria-current="true"`);
  }
});

test("the plan, its end and the remaining quota are those of the account method", async () => {
  await use();
  await appliance.app.domains.accounts.givePlan(
    customer.organizationId,
    "start",
    Date.parse("2026-12-01T00:00:00+03:00"),
    COMMAND_LINE,
  );
  const { html } = await owner.get("/account/");
  expect(html).toContain("<strong><bdi>Start</bdi></strong>");
  expect(html).toContain("<strong>29,998</strong>");
  // A plan includes its last day.
  expect(html).toContain('<time datetime="2026-11-30">');
  expect(html).not.toContain("Your plan has ended");

  appliance.ports.clock.set("2026-12-01T00:00:00+03:00");
  const after = (await owner.get("/account/")).html;
  expect(after).toContain("<strong><bdi>Test</bdi></strong>");
  expect(after).toContain("Your plan has ended");
  expect(after).toContain("<strong>1,000</strong>");
});

test("another organization's usage is not included", async () => {
  const other = await appliance.customer();
  await appliance.get("/v1/msgr/channels/1/", other.key);
  const { html } = await owner.get("/account/");
  expect(html).toContain("No requests in these days.");
  expect(html).toContain(`<a class="button" href="/account/keys/">Make your first call</a>`);
});

test("the snippets contain this appliance's own address", async () => {
  const { html, status } = await owner.get("/account/connect/");
  expect(status).toBe(200);
  for (const { text } of connectSnippets("http://localhost")) {
    expect(html).toContain(Bun.escapeHTML(text).replaceAll("&#x27;", "&#39;"));
  }
  for (const language of ["en", "ru"]) {
    const guide = await appliance.request(`/docs/mcp/?lang=${language}`);
    // Options are marked, so that they are not broken at a hyphen.
    const unmarked = String(guide.body).replaceAll(/<span class="flag">|<\/span>/g, "");
    for (const { text } of connectSnippets("http://localhost")) {
      expect(unmarked).toContain(Bun.escapeHTML(text).replaceAll("&#x27;", "'"));
    }
  }
});

test("usage is shown by key, errors are highlighted, and today is marked as not over", async () => {
  const { keys } = appliance.app.domains;
  const wanted = { memberId: customer.memberId, access: "read_only", expiresAt: null } as const;
  const second = await keys.createKey({ ...wanted, name: "nightly" }, COMMAND_LINE);
  await use();
  await appliance.get("/v1/msgr/channels/1/", second.token);
  const { html } = await owner.get("/account/?days=7");
  const byKey = html.split("<h3>Usage by key")[1] ?? "";
  expect(numbersOf(byKey, "<bdi>test<")).toEqual([3, 2, 1]);
  expect(numbersOf(byKey, "<bdi>nightly<")).toEqual([1, 1, 0]);
  expect(byKey).toContain('<td class="number failed" data-label="Errors">1<');
  const today = html.split("<tr>").find((row) => row.includes('data-value="2026-11-20"')) ?? "";
  expect(today).toContain("not over yet");
  const yesterday = html.split("<tr>").find((row) => row.includes('data-value="2026-11-19"')) ?? "";
  expect(yesterday).not.toContain("not over yet");
});

test("the quota's bar states no pace within the first hour of a period", async () => {
  const bar = async () => (await owner.get("/account/")).html.split("<progress")[1] ?? "";
  await use();
  appliance.ports.clock.advance(60 * 60 * 1000 - 1);
  expect(await bar()).not.toContain("At this pace");
  appliance.ports.clock.advance(1);
  expect(await bar()).toContain("At this pace");
});

test("the quota's bar says when the quota will run out at this pace, once there is one", async () => {
  const bar = async () => (await owner.get("/account/")).html.split("<progress")[1] ?? "";
  expect(await bar()).not.toContain("At this pace");
  appliance.ports.clock.advance(24 * 60 * 60 * 1000);
  expect(await bar()).not.toContain("At this pace");
  await use();
  expect(await bar()).toContain("At this pace, the quota will last until the end of the period.");
  await appliance.app.domains.accounts.changePlan("start", { requestsPerPeriod: 6 }, COMMAND_LINE);
  // Two of six in a day means all of them in three days.
  expect(await bar()).toContain("At this pace, the quota will run out on");
  expect(await bar()).toContain('datetime="2026-11-23"');
  await use();
  await use();
  expect(await bar()).toContain("The quota is used up");
  expect(await bar()).toContain("Request units used: 6 (100%)");
});

test("a key's last requests are shown with time, path, status, duration and units, newest first", async () => {
  await use();
  await appliance.app.flushRequests();
  const { html } = await owner.get(`/account/?key=${customer.keyId}`);
  const rows = html.split('id="requests"')[1]?.split("<tr>").slice(2) ?? [];
  expect(rows).toHaveLength(3);
  expect(rows[0]).toContain("<bdi>/v1/me/</bdi>");
  expect(rows[1]).toContain("<bdi>/v1/msgr/channels/77/</bdi>");
  expect(rows[1]).toContain('<td class="number failed">404</td>');
  expect(rows[1]).toMatch(/<td class="number">1<\/td>/);
  expect(rows[2]).toContain("20 Nov 2026, 12:00:00");
});

test("the last hundred requests of a key are kept for a week", async () => {
  const { flushRequests: flush } = appliance.app;
  const shown = async () =>
    ((await owner.get("/account/")).html.split('id="requests"')[1]?.split("<tr>").length ?? 0) - 2;
  for (let at = 0; at < 70; at++) await appliance.get("/v1/me/", customer.key);
  await flush();
  for (let at = 0; at < 70; at++) await appliance.get("/v1/msgr/categories/", customer.key);
  await flush();
  expect(await shown()).toBe(100);
  const stored = () =>
    appliance.app.domains.db.prepare("SELECT count(*) AS n FROM request_log").get();
  expect(stored()).toEqual({ n: 100 });
  appliance.ports.clock.advance(7 * 24 * 60 * 60 * 1000 + 1);
  expect((await owner.get("/account/")).html).toContain(
    "No requests with this key in the past week.",
  );
  await retain(appliance.app.domains.db, appliance.ports.clock);
  expect(stored()).toEqual({ n: 0 });
});

test("members see the requests of their own keys only", async () => {
  const { organizationId } = customer;
  const member = await signedInMember(appliance, organizationId, "member", "nina@example.com");
  await use();
  await appliance.app.flushRequests();
  const { html } = await member.get(`/account/?key=${customer.keyId}`);
  expect(html.split('id="requests"')[1]).not.toContain("/v1/msgr/channels/77/");
});

test("the request log can be switched off by the setting", async () => {
  const off = await startAppliance({ KANALOG_REQUEST_LOG: "false" });
  const { key, organizationId } = await off.customer();
  await off.get("/v1/me/", key);
  await off.app.flushRequests();
  expect(off.app.domains.db.prepare("SELECT count(*) AS n FROM request_log").get()).toEqual({
    n: 0,
  });
  const visitor = await signedInMember(off, organizationId, "owner", "olga@example.com");
  expect((await visitor.get("/account/")).html).toContain("The request log is switched off.");
  await off.close();
});

test("staff see what an organization's owners see, without secrets or anything to change", async () => {
  await use();
  await appliance.app.flushRequests();
  const staff = await staffVisitor(appliance);
  const path = `/staff/organizations/${customer.organizationId}/seen/`;
  const { html, status } = await staff.get(`${path}?days=7`);
  expect(status).toBe(200);
  const own = await owner.get("/account/?days=7");
  expect(html).toContain("29,998");
  expect(numbersOf(html, ">Total<")).toEqual(numbersOf(own.html, ">Total<"));
  expect(daysIn(html)).toEqual(daysIn(own.html));
  expect(html).toContain("<bdi>/v1/msgr/channels/77/</bdi>");
  expect(html).toContain(`<code>${customer.key.slice(0, 11)}`);
  expect(html).not.toContain(customer.key);
  const main = html.slice(html.indexOf("<main"));
  expect(main).not.toContain('method="post"');
  expect(
    (await staff.post(path, { action: "plan", csrf: await staff.csrf("/staff/") })).status,
  ).toBe(405);
  expect((await staff.get("/staff/organizations/99/seen/")).status).toBe(404);
  expect((await owner.get(path)).status).toBe(404);
});

test("staff who see an organization without keys get no link that would create a key for themselves", async () => {
  await use();
  const staff = await staffVisitor(appliance);
  const { accounts } = appliance.app.domains;
  const { id } = await accounts.createOrganization({ name: "New", plan: "test" }, COMMAND_LINE);
  const { html } = await staff.get(`/staff/organizations/${id}/seen/`);
  expect(html).toContain("No keys yet.");
  expect(html.slice(html.indexOf("<main"))).not.toContain("/account/keys/");
});
