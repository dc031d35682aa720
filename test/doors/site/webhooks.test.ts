import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import { channel, imported } from "../../support/expectations.ts";
import { signedInMember, type Visitor, visitorOf } from "../../support/visitor.ts";
import {
  callsWith,
  created,
  DAY_MS,
  deliverPost,
  MINUTE_MS,
  pass,
  signatureBy,
  signaturesOf,
} from "../../support/webhook-calls.ts";

const PATH = "/account/webhooks/";
const URL_TYPED = "https://hooks.example.com/posts?token=of-the-receiver";

let appliance: Appliance;
let customer: Customer;
let owner: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { handle: "first_one", title: "The first" }),
    channel(2, { handle: "second_one" }),
    channel(3),
  ]);
  customer = await appliance.customer({ access: "read_write" });
  owner = await as("owner");
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const as = (role: "owner" | "administrator" | "member", language = "en") =>
  signedInMember(
    appliance,
    customer.organizationId,
    role,
    `${role}-${language}@example.com`,
    language,
  );
const make = (fields: Record<string, string> = {}, who: Visitor = owner) =>
  who.post(PATH, { action: "create", url: URL_TYPED, channels: "1", ...fields });
const secretIn = (html: string): string => /whsec_[\w-]{43}/.exec(html)?.[0] ?? "";
const call = (verb: string, path: string, body?: unknown) =>
  callsWith(appliance, customer.key)(verb, path, body);
const stored = async (id = 1) => (await call("GET", `${id}/`)).body;
const givePlan = (plan: "test" | "growth" | "profi") =>
  appliance.app.domains.accounts.givePlan(customer.organizationId, plan, null, COMMAND_LINE);

describe("creating a webhook", () => {
  test("accepts former handles and links of channels too", async () => {
    await imported(appliance, "channels", [
      { id: 1, handle: "renamed", msgr_id: -1001234567890 },
      { id: 3, handle: "third_one" },
    ]);
    const channels = "@first_one https://t.me/c/1234567890/5 third_one.t.me @second_one";
    expect((await make({ channels })).status).toBe(200);
    expect((await stored()).channels).toEqual([1, 3, 2]);
  });

  test("shows its secret in the answer and never again; deliveries are signed with it", async () => {
    const made = await make();
    expect(made.status).toBe(200);
    const secret = secretIn(made.html);
    expect(secret).not.toBe("");
    expect(made.html).toContain(`data-copy="${secret}"`);
    expect(made.headers.get("cache-control")).toBe("no-store");

    await deliverPost(appliance, 1);
    const [post] = appliance.ports.network.posts;
    if (post === undefined) throw new Error("nothing was sent");
    expect(signaturesOf(post)).toEqual([signatureBy(secret, post)]);
    for (const path of [PATH, `${PATH}1/`]) {
      const { status, html } = await owner.get(path);
      expect(status).toBe(200);
      expect(html).not.toContain("whsec_");
    }
  });

  test("accepts numbers, @handles and links without duplicates, separated by spaces or commas", async () => {
    await make({ channels: " 3, @SECOND_one\n1;https://t.me/first_one ,, 3" });
    expect((await stored()).channels).toEqual([3, 2, 1]);
  });

  test("reports faults at the fields and keeps what was typed", async () => {
    for (const [fields, fault] of [
      [{ url: "" }, "This field may not be blank."],
      [{ url: "http://hooks.example.com/" }, "Enter a valid https:// address."],
      [{ url: "https://10.0.0.1/" }, "reachable from the internet"],
      [{ channels: "" }, "This field is required."],
      [{ channels: "1 first_one" }, "neither a number nor an @handle: first_one."],
      [{ channels: "1 @nobody_has_this" }, "There is no public channel @nobody_has_this."],
      [{ channels: "1 77" }, "There are no public channels with the numbers 77."],
      [{ channels: '"><script>alert(1)</script>' }, "neither a number nor an @handle: &quot;&gt;"],
    ] as const) {
      const answer = await make(fields);
      expect(answer.status, fault).toBe(400);
      expect(answer.html).toContain(fault);
      expect(answer.html).toContain('aria-invalid="true"');
      expect(answer.html).not.toContain("<script>alert");
      const { url = URL_TYPED, channels = "1" }: { url?: string; channels?: string } = fields;
      expect(answer.html).toContain(`value="${Bun.escapeHTML(url)}"`);
      expect(answer.html).toContain(`>${Bun.escapeHTML(channels)}</textarea>`);
    }
    expect((await call("GET", "")).body.results).toEqual([]);
    expect(auditOf(appliance)).toEqual([]);
  });

  test("reports them in Russian to readers of Russian", async () => {
    const russian = await as("owner", "ru");
    for (const fields of [
      { url: "" },
      { url: "https://hooks.example.com:80/" },
      { url: "https://me@hooks.example.com/" },
      { url: "https://10.0.0.1/" },
      { channels: "77" },
      { channels: "@nobody_has_this" },
    ]) {
      const { html } = await make(fields, russian);
      const fault = /<strong class="fault"[^>]*>([^<]+)</.exec(html)?.[1];
      expect(fault, JSON.stringify(fields)).toMatch(/^[А-Я]/);
    }
  });

  test("respects the plan's limits of webhooks, and of channels in each", async () => {
    await appliance.app.domains.accounts.changePlan("growth", { webhookChannels: 2 }, COMMAND_LINE);
    await givePlan("growth");
    const many = await make({ channels: "1 2 3" });
    expect(many.status).toBe(400);
    expect(many.html).toContain("Ensure this field has no more than 2 elements.");
    const names = await make({ channels: "@one @two @three" });
    expect(names.html).toContain("Enter at most 2 channels.");

    expect((await make()).status).toBe(200);
    expect((await owner.get(PATH)).html).not.toContain('value="create"');
    // The form was open while somebody else made the last one: it keeps what was typed in it.
    const second = await make();
    expect(second.status).toBe(403);
    expect(second.html.split("Delete one to create another.")).toHaveLength(2);
    expect(second.html).toContain(`value="${URL_TYPED}"`);
    expect(second.html).not.toContain("The plan growth");
    expect((await call("GET", "")).body.results).toHaveLength(1);
  });
});

describe("the list and the page of a webhook", () => {
  test("show state, channels, last success and error, and the log of attempts", async () => {
    await make({ channels: "1 2" });
    await pass(appliance, MINUTE_MS, MINUTE_MS);
    await deliverPost(appliance, 1);
    appliance.ports.network.answer = () => ({ status: 503 });
    await deliverPost(appliance, 2);

    const list = await owner.get(PATH);
    expect(list.html).toContain(">active<");
    expect(list.html).toContain("The receiver answered 503.");
    const { html } = await owner.get(`${PATH}1/`);
    const { last_success_at: lastSuccessAt } = await stored();
    expect(html).toContain(`<time datetime="${lastSuccessAt}">`);
    expect(html).toContain('<a href="/account/channels/1/"><bdi>The first</bdi></a>');
    expect(html).toContain("<bdi>Response 204</bdi>, 0 s");
    expect(html).toContain("<bdi>The receiver answered 503</bdi>, 0 s");
    expect(html).toContain(">waiting<");
    const log = (await call("GET", "1/deliveries/")).body.results;
    expect(log).toHaveLength(2);
    expect(html).toContain(`<time datetime="${log[0].next_attempt_at}">`);
  });

  test("the log has pages, and each delivery is on one of them", async () => {
    await make();
    await pass(appliance, MINUTE_MS, MINUTE_MS);
    for (let id = 1; id <= 45; id++) await deliverPost(appliance, id);
    const shown: string[] = [];
    let path: string | undefined = `${PATH}1/`;
    let pages = 0;
    while (path !== undefined) {
      const { html }: { html: string } = await owner.get(path);
      shown.push(
        ...[...html.matchAll(/<th scope="row"><a [^>]+>(\d+)/g)].map((match) => match[1] ?? ""),
      );
      path = /href="([^"]+)#log" rel="next"/.exec(html)?.[1];
      pages += 1;
    }
    expect(pages).toBe(3);
    const all = (await call("GET", "1/deliveries/?limit=100")).body.results;
    expect(shown).toEqual(all.map(({ delivery }: { delivery: number }) => String(delivery)));
    for (const before of ["x", "-1", "0", "9".repeat(30), "1e5"]) {
      expect((await owner.get(`${PATH}1/?before=${before}`)).status, before).toBe(200);
    }
  });

  test("show the last 50 attempts as a strip and in a sentence", async () => {
    await make();
    expect((await owner.get(`${PATH}1/`)).html).not.toContain('class="strip"');
    await pass(appliance, MINUTE_MS, MINUTE_MS);
    for (let id = 1; id <= 52; id++) await deliverPost(appliance, id);
    appliance.ports.network.answer = () => ({ status: 503 });
    await deliverPost(appliance, 53);
    const { html } = await owner.get(`${PATH}1/`);
    const [, strip = ""] = /<svg class="strip"(.*?)<\/svg>/s.exec(html) ?? [];
    const bars = [...strip.matchAll(/<rect class="(\w+)"/g)].map((match) => match[1]);
    expect(bars).toEqual([...Array(49).fill("ok"), "failed"]);
    expect(html).toContain("Of the last 50 attempts, 49 succeeded.");
  });

  test("a delivery's page shows the payload, offers it as a file byte for byte, and only to its organization", async () => {
    await make();
    await pass(appliance, MINUTE_MS, MINUTE_MS);
    await deliverPost(appliance, 1);
    await imported(appliance, "posts", [
      {
        id: 2,
        channel: 1,
        text: "</pre><b>2</b>",
        published_at: new Date(appliance.ports.clock.now()).toISOString(),
      },
    ]);
    await pass(appliance, 2 * MINUTE_MS, MINUTE_MS);
    const path = `${PATH}1/deliveries/2/`;
    expect((await owner.get(`${PATH}1/`)).html).toContain(`href="${path}"`);
    const { status, html } = await owner.get(path);
    expect(status).toBe(200);
    expect(html).toContain("&quot;text&quot;: &quot;&lt;/pre&gt;&lt;b&gt;2&lt;/b&gt;&quot;");
    expect(html).toContain("X-Service-Delivery: 2");
    expect(html).toContain('action="/account/webhooks/1/"');
    const sent = appliance.ports.network.posts.at(-1)?.body;
    const file = await owner.get(`${path}?download=body`);
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="delivery-2.json"');
    expect(file.body).toEqual(JSON.parse(String(sent)));
    expect(file.headers.get("content-type")).toBe("application/json; charset=utf-8");
    await appliance.app.domains.posts.delete([2], COMMAND_LINE);
    for (const way of [path, `${path}?download=body`]) {
      const { html: after } = await owner.get(way);
      expect(after, way).toContain("these posts are no longer available: 2.");
      expect(after, way).not.toContain("&lt;b&gt;2");
    }
    const other = await appliance.customer({ access: "read_write" });
    const stranger = await signedInMember(
      appliance,
      other.organizationId,
      "owner",
      "x@example.com",
    );
    expect((await stranger.get(path)).status).toBe(404);
    for (const wrong of ["3", "0", "x", "1e0", "%00", "9".repeat(30)]) {
      expect((await owner.get(`${PATH}1/deliveries/${wrong}/`)).status, wrong).toBe(404);
    }
    await givePlan("test");
    expect((await owner.get(path)).status).toBe(403);
  });

  test("the form for a new one is prefilled with the address's channels", async () => {
    const { html } = await owner.get(`${PATH}?channels=${encodeURIComponent("2 </textarea>")}`);
    expect(html).toMatch(/<textarea name="channels"[^>]*>2 &lt;\/textarea&gt;<\/textarea>/);
    expect(html).toContain('data-adds="create-channels"');
  });

  test("show only the organization's own webhooks", async () => {
    const other = await appliance.customer({ access: "read_write" });
    const { id } = await created(callsWith(appliance, other.key));
    await make();
    expect((await owner.get(PATH)).html).not.toContain(`${PATH}${id}/"`);
    const before = (await appliance.request(`/v1/msgr/webhooks/${id}/`, { key: other.key })).body;
    for (const [action, fields] of [
      ["enable", {}],
      ["disable", {}],
      ["change", { url: URL_TYPED, channels: "2" }],
      ["rotate", { overlap_hours: "" }],
      ["test", {}],
      ["resend", { delivery: "1" }],
      ["delete", {}],
    ] as const) {
      const answer = await owner.post(`${PATH}${id}/`, { action, ...fields });
      expect(answer.status, action).toBe(404);
    }
    for (const path of [
      `${PATH}${id}/`,
      `${PATH}999/`,
      `${PATH}x/`,
      `${PATH}%FF/`,
      `${PATH}1e0/`,
    ]) {
      expect((await owner.get(path)).status, path).toBe(404);
    }
    const after = (await appliance.request(`/v1/msgr/webhooks/${id}/`, { key: other.key })).body;
    expect(after).toEqual(before);
  });

  test("require signing in", async () => {
    await make();
    for (const path of [PATH, `${PATH}1/`]) {
      const answer = await visitorOf(appliance).get(path);
      expect(answer.status).toBe(303);
      expect(answer.location).toContain("/account/sign-in/?next=");
    }
  });
});

describe("actions on a webhook", () => {
  const act = (action: string, fields: Record<string, string> = {}, who: Visitor = owner) =>
    who.post(`${PATH}1/`, { action, ...fields });

  test("a button enables a disabled one", async () => {
    await make();
    expect((await act("disable")).location).toBe(`${PATH}1/?done=disabled`);
    expect(await stored()).toMatchObject({ is_active: false, disabled_reason: "customer" });
    const page = await owner.get(`${PATH}1/?done=disabled`);
    expect(page.html).toContain("by your organization");
    expect(page.html).not.toContain(">Resend<");
    expect((await act("enable")).location).toBe(`${PATH}1/?done=enabled`);
    expect((await stored()).is_active).toBe(true);
    await act("enable");
    expect(auditOf(appliance).map(({ action }) => action)).toEqual([
      "webhook.create",
      "webhook.disable",
      "webhook.enable",
    ]);
  });

  test("one that staff disabled stays disabled, and the page says to contact support", async () => {
    await make();
    await appliance.app.domains.webhooks.disable(1, "", COMMAND_LINE);
    const page = await owner.get(`${PATH}1/`);
    expect(page.html).toContain("Only the service&#39;s staff can enable this webhook");
    const answer = await act("enable");
    expect(answer.status).toBe(409);
    expect(answer.html).toContain("The webhook was disabled by staff: contact support.");
    expect((await act("enable", {}, await as("owner", "ru"))).html).toContain(
      "Вебхук отключён службой поддержки: обратитесь к ней.",
    );
    expect((await stored()).disabled_reason).toBe("staff");
    expect(auditOf(appliance).map(({ action }) => action)).not.toContain("webhook.enable");
  });

  test("a test ping shows its result, and is refused within a minute", async () => {
    await make();
    appliance.ports.network.answer = () => ({ status: 418 });
    const tested = await act("test");
    expect(tested.status).toBe(303);
    const page = await owner.get(tested.location ?? "");
    expect(page.html).toMatch(
      /role="status">Delivery \d+ failed\. <bdi>The receiver answered 418<\/bdi>, 0 s/,
    );
    const again = await act("test");
    expect(again.status).toBe(429);
    expect(again.html).toContain("A webhook is tested at most once a minute.");
    appliance.ports.clock.advance(MINUTE_MS);
    appliance.ports.network.answer = () => ({ status: 204 });
    const answer = await owner.get((await act("test")).location ?? "");
    expect(answer.html).toMatch(
      /role="status">Delivery \d+ succeeded\. <bdi>Response 204<\/bdi>, 0 s/,
    );
  });

  test("address and channels can be changed; unchanged values are not validated again", async () => {
    await make({ channels: "1 2" });
    await appliance.app.domains.accounts.changePlan("profi", { webhookChannels: 1 }, COMMAND_LINE);
    const url = "https://other.example.com/hook";
    const moved = await act("change", { url, channels: "1 2" });
    expect(moved.location).toBe(`${PATH}1/?done=changed`);
    expect(await stored()).toMatchObject({ url, channels: [1, 2] });
    const refused = await act("change", { url, channels: "1 2 3" });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('<details class="folded" open="">');
    await act("change", { url, channels: "@first_one" });
    expect((await stored()).channels).toEqual([1]);
  });

  test("a new secret is shown once, and the previous one keeps signing for the given hours", async () => {
    const former = secretIn((await make()).html);
    for (const overlap of ["0", "73", "x", "1.5"]) {
      const refused = await act("rotate", { overlap_hours: overlap });
      expect(refused.status, overlap).toBe(400);
      expect(refused.html).not.toContain("whsec_");
    }
    const rotated = await act("rotate", { overlap_hours: "2" });
    const secret = secretIn(rotated.html);
    expect(secret).not.toBe(former);
    await act("test");
    const [ping] = appliance.ports.network.posts;
    if (ping === undefined) throw new Error("nothing was sent");
    expect(signaturesOf(ping)).toEqual([signatureBy(former, ping), signatureBy(secret, ping)]);
    expect((await owner.get(`${PATH}1/`)).html).not.toContain("whsec_");
  });

  test("a delivery can be sent again; if not, its own button says why", async () => {
    await make();
    await pass(appliance, MINUTE_MS, MINUTE_MS);
    appliance.ports.network.answer = () => ({ status: 500 });
    await deliverPost(appliance, 1);
    const [{ delivery }] = (await call("GET", "1/deliveries/")).body.results;
    expect((await owner.get(`${PATH}1/`)).html).toContain(
      `Resend<span class="hidden"> ${delivery}</span>`,
    );
    appliance.ports.network.answer = () => ({ status: 204 });
    const sent = await act("resend", { delivery: String(delivery) });
    expect(sent.location).toBe(`${PATH}1/?tried=${delivery}`);
    expect((await owner.get(sent.location ?? "")).html).toContain(
      `Delivery ${delivery} succeeded.`,
    );
    expect((await call("GET", "1/deliveries/")).body.results[0].state).toBe("delivered");

    await deliverPost(appliance, 2);
    await owner.get(PATH);
    await appliance.app.domains.webhooks.disable(1, "", COMMAND_LINE);
    const refused = await act("resend", { delivery: String(delivery) });
    expect(refused.status).toBe(409);
    appliance.ports.clock.advance(3 * DAY_MS);
    expect((await owner.get(`${PATH}1/`)).html).not.toContain("Resend delivery");
    for (const [unknown, expected] of [
      ["999", "The delivery was not found."],
      ["x", "This object was not found."],
      ["", "This object was not found."],
    ] as const) {
      const { status, html } = await act("resend", { delivery: unknown });
      expect(status, unknown).toBe(404);
      expect(html, unknown).toMatch(new RegExp(`role="alert">\\s*${expected}`));
    }
  });

  test("deletion asks for confirmation first", async () => {
    await make();
    const { html } = await owner.get(`${PATH}1/`);
    expect(html).toMatch(
      /<details class="confirm danger">.*This cannot be undone.*value="delete"/s,
    );
    expect((await act("delete")).location).toBe(`${PATH}?done=deleted`);
    expect((await owner.get(`${PATH}1/`)).status).toBe(404);
    expect((await call("GET", "")).body.results).toEqual([]);
  });

  test("every change is recorded with its author, and without a secret", async () => {
    const secret = secretIn((await make()).html);
    const administrator = await as("administrator");
    await act("change", { url: `${URL_TYPED}2`, channels: "2" }, administrator);
    const rotated = secretIn((await act("rotate", { overlap_hours: "" }, administrator)).html);
    await act("delete");
    expect(auditOf(appliance)).toMatchObject([
      { person: "owner-en@example.com", action: "webhook.create", target: "webhook 1" },
      { person: "administrator-en@example.com", action: "webhook.change" },
      { person: "administrator-en@example.com", action: "webhook.rotate-secret" },
      { person: "owner-en@example.com", action: "webhook.delete" },
    ]);
    for (const hidden of [secret, rotated, "of-the-receiver"]) {
      expect(JSON.stringify(auditOf(appliance))).not.toContain(hidden);
    }
  });
});

describe("a member", () => {
  test("can view and test, but change nothing", async () => {
    await make();
    await pass(appliance, MINUTE_MS, MINUTE_MS);
    await deliverPost(appliance, 1);
    const before = await stored();
    const member = await as("member");
    const { html } = await member.get(`${PATH}1/`);
    expect(html).toContain("Delivery log");
    expect(html).toContain("Only owners and administrators can change webhooks.");
    expect([...html.matchAll(/name="action" value="([^"]+)"/g)].map((match) => match[1])).toEqual([
      "choose-language",
      "sign-out",
      "test",
    ]);
    expect((await make({}, member)).status).toBe(403);
    for (const action of ["enable", "disable", "change", "rotate", "resend", "delete"]) {
      const fields = { action, url: URL_TYPED, channels: "2", overlap_hours: "", delivery: "1" };
      const answer = await member.post(`${PATH}1/`, fields);
      expect(answer.status, action).toBe(403);
      expect(answer.html).not.toContain("whsec_");
    }
    expect(await stored()).toEqual(before);
    expect((await call("GET", "")).body.results).toHaveLength(1);
    expect((await member.post(`${PATH}1/`, { action: "test" })).status).toBe(303);
  });
});

describe("on a plan without webhooks", () => {
  test("the page says so, and nothing can be created", async () => {
    await givePlan("test");
    const { status, html } = await owner.get(PATH);
    expect(status).toBe(200);
    expect(html).toContain("The Test plan does not include webhooks.");
    expect(html).not.toContain('value="create"');
    for (const channels of ["1", "@first_one", "x"]) {
      const refused = await make({ channels });
      expect(refused.status, channels).toBe(403);
      expect(refused.html).toContain("The Test plan does not include webhooks.");
    }
    expect((await owner.get(`${PATH}1/`)).status).toBe(404);
  });

  test("existing ones can be viewed and deleted, and nothing else", async () => {
    await make();
    await givePlan("test");
    expect((await owner.get(PATH)).html).toContain(`href="${PATH}1/"`);
    const { status, html } = await owner.get(`${PATH}1/`);
    expect(status).toBe(200);
    expect([...html.matchAll(/name="action" value="([^"]+)"/g)].map((match) => match[1])).toEqual([
      "choose-language",
      "sign-out",
      "delete",
    ]);
    const before = await stored();
    for (const action of ["enable", "disable", "change", "rotate", "test", "resend"]) {
      const fields = { action, url: URL_TYPED, channels: "2", overlap_hours: "", delivery: "1" };
      expect((await owner.post(`${PATH}1/`, fields)).status, action).toBe(403);
    }
    for (const channels of ["@second_one", before.channels.join(" ")]) {
      const fields = { action: "change", url: before.url, channels };
      expect((await owner.post(`${PATH}1/`, fields)).status, channels).toBe(403);
    }
    expect(await stored()).toEqual(before);
    expect(appliance.ports.network.posts).toEqual([]);
    expect((await owner.post(`${PATH}1/`, { action: "delete" })).status).toBe(303);
  });
});
