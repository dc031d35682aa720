import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { statement } from "../../../src/db/database.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { signedInMember, staffVisitor, type Visitor } from "../../support/visitor.ts";

const PAGE = "/account/posts/";

let appliance: Appliance;
let member: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1, { title: "<Первый>" })]);
  const { organizationId } = await appliance.customer({ plan: "start" });
  member = await signedInMember(appliance, organizationId, "member", "nina@example.com", "en");
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const posts = (count: number) =>
  imported(
    appliance,
    "posts",
    Array.from({ length: count }, (_, at) => ({
      ...{ id: at + 1, channel: 1, text: `😀 <b>О домах</b> и дачах ${at + 1}`, views: 4321 },
      published_at: `2026-11-19T10:${10 + at}:00+03:00`,
    })),
  );

test("found posts are shown with their hits marked, page by page", async () => {
  await posts(25);
  const { html, status } = await member.get(`${PAGE}?q=дом&ordering=-published_at`);
  expect(status).toBe(200);
  expect(html).toContain("Posts found: 25");
  expect(html).toContain("😀 &lt;b&gt;О <mark>домах</mark>&lt;/b&gt; и дачах 25");
  expect(html).toContain('<a href="/account/channels/1/"><bdi>&lt;Первый&gt;</bdi></a>');
  expect(html).toContain("Views: 4,321");
  const next = /href="([^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const second = await member.get(next);
  expect(second.html).toContain("дачах 5<");
  expect(second.html).not.toContain("дачах 6<");
});

test("unknown views are not shown as zero", async () => {
  await imported(appliance, "posts", [
    { id: 1, channel: 1, text: "О домах", published_at: "2026-11-19T10:00:00+03:00" },
    { id: 2, channel: 1, text: "О дачах", published_at: "2026-11-19T11:00:00+03:00", views: 5 },
  ]);
  expect((await member.get(`${PAGE}?q=дом`)).html).toContain("Views: —");
  const { html } = await member.get("/account/channels/1/");
  expect(html).toContain("Views: 5");
  expect(html).not.toContain("Views: 0");
});

test("what was not counted or may be missing is said in the reader's language", async () => {
  await posts(1);
  statement(appliance.app.domains.db, "UPDATE post_search_parts SET dictionary = 'stems'").run();
  const { html } = await member.get(`${PAGE}?q=дом`);
  expect(html).toContain('<p class="notice">Part of the index of posts is being renewed');
  const none = await member.get(`${PAGE}?q=замок`);
  expect(none.html).toContain('<p class="notice">Part of the index of posts is being renewed');
  const { organizationId } = await appliance.customer({ plan: "start" });
  const reader = await signedInMember(
    appliance,
    organizationId,
    "member",
    "ivan@example.com",
    "ru",
  );
  for (const path of [PAGE, `${PAGE}word/`]) {
    const answer = await reader.get(`${path}?q=дом`);
    expect(answer.html).toContain('<p class="notice">Часть индекса постов обновляется');
  }
});

test("filters narrow the results and stay in the form", async () => {
  await posts(3);
  const { html } = await member.get(`${PAGE}?q=дом&views_min=5000&from=2026-11-01`);
  expect(html).toContain("No posts found. Try other words or fewer filters.");
  expect(html).toContain('value="5000"');
  expect(html).toContain('value="2026-11-01"');
});

test("without words it opens with the most viewed posts of today, or of the last days that have any", async () => {
  const ids = (html: string) => [...html.matchAll(/Views: ([\d,—]+)/g)].map(([, views]) => views);
  const post = (id: number, published_at: string, views: number) => ({
    ...{ id, channel: 1, text: `О домах ${id}`, published_at, views },
  });
  await imported(appliance, "posts", [
    post(1, "2026-11-18T10:00:00+03:00", 500),
    post(2, "2026-11-17T10:00:00+03:00", 700),
    post(3, "2026-10-01T10:00:00+03:00", 900),
  ]);
  const week = (await member.get(PAGE)).html;
  expect(week).toContain("Most viewed in the last 7 days");
  expect(ids(week)).toEqual(["700", "500"]);
  await imported(appliance, "posts", [post(4, "2026-11-20T10:00:00+03:00", 3)]);
  const today = (await member.get(PAGE)).html;
  expect(today).toContain("Most viewed today");
  expect(ids(today)).toEqual(["3"]);
  expect((await member.get(`${PAGE}?category=nothing`)).status).toBe(400);
});

test("names the field of a fault", async () => {
  const short = await member.get(`${PAGE}?q=-дом`);
  expect(short.status).toBe(200);
  expect(short.html).toContain("Give at least one word to search for");
  const wrong = await member.get(`${PAGE}?q=дом&from=2026-11-31`);
  expect(wrong.status).toBe(400);
  expect(wrong.html).toContain("From: Date has wrong format.");
});

test("a query is shown as it was understood if some signs were ignored", async () => {
  await posts(1);
  expect((await member.get(`${PAGE}?q=(дом)`)).html).toContain("Searched for: <bdi>дом</bdi>");
  expect((await member.get(`${PAGE}?q=Дом`)).html).not.toContain("Searched for:");
});

test("results can be downloaded as the export's file, on plans that include it", async () => {
  await posts(3);
  expect((await member.get(`${PAGE}?q=дом`)).html).toContain("available on the Profi plan");
  const { organizationId } = await appliance.customer({ plan: "profi" });
  const other = await signedInMember(appliance, organizationId, "member", "olga@example.com", "en");
  const page = `${PAGE}?q=дом&ordering=-views&to=2026-11-19`;
  expect((await other.get(page)).html).toContain("<small>1 unit</small>");
  const key = {
    memberId: other.memberId,
    name: "own",
    access: "read_only",
    expiresAt: null,
  } as const;
  await appliance.app.domains.keys.createKey(key, COMMAND_LINE);
  const { body, headers } = await other.post(page, { action: "export" });
  expect(headers.get("content-disposition")).toMatch(/filename="posts-[\dT-]+\.csv"/);
  expect(body.split("\n").map((line: string) => line.split(",")[0])).toEqual([
    "id",
    "3",
    "2",
    "1",
    "",
  ]);
  expect((await other.post(`${PAGE}?q=-дом`, { action: "export" })).status).toBe(400);
});

test("a page opened by a cursor alone offers no file and no call, which would cover all posts", async () => {
  await posts(25);
  const { organizationId } = await appliance.customer({ plan: "profi" });
  const other = await signedInMember(appliance, organizationId, "member", "olga@example.com", "en");
  const key = {
    memberId: other.memberId,
    name: "own",
    access: "read_only",
    expiresAt: null,
  } as const;
  await appliance.app.domains.keys.createKey(key, COMMAND_LINE);
  const { html } = await other.get(`${PAGE}?q=дом`);
  expect(html).toContain('value="export"');
  const next = /href="([^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const page = `${PAGE}?cursor=${new URL(next, "http://a/").searchParams.get("cursor")}`;
  const alone = (await other.get(page)).html;
  expect(alone).toContain('class="post"');
  expect(alone).not.toContain('value="export"');
  expect(alone).not.toContain("/v1/msgr/posts/search/");
  const { status, headers } = await other.post(page, { action: "export" });
  expect([status, headers.get("content-disposition")]).toEqual([400, null]);
});

test("while the index is being built the page says so, and staff see the progress", async () => {
  await posts(2);
  appliance.app.domains.db.exec("UPDATE post_search_state SET phase = 'building', after_id = 1");
  const { html, status } = await member.get(`${PAGE}?q=дом`);
  expect(status).toBe(200);
  expect(html).toContain("The index of post search is being built (50 %).");
  const staff = await staffVisitor(appliance);
  expect((await staff.get("/staff/database/")).html).toContain("being built, 50%");
  await appliance.app.postIndex.tick();
  expect((await member.get(`${PAGE}?q=дом`)).html).toContain("Posts found: 2");
  expect((await staff.get("/staff/database/")).html).toContain("<dd>complete</dd>");
});

test("on a plan without posts the page says which plans include them, in Russian too", async () => {
  const { organizationId } = await appliance.customer({ plan: "test" });
  const other = await signedInMember(appliance, organizationId, "owner", "olga@example.com", "ru");
  const { html } = await other.get(`${PAGE}?q=дом`);
  expect(html).toContain("не включает посты");
  expect(html).toMatch(
    /<a href="\/account\/posts\/" aria-current="page">(<svg.*?<\/svg>)?Посты<\/a>/,
  );
});
