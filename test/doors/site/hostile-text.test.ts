import { afterEach, beforeEach, expect, test } from "bun:test";
import { CHANNEL_COLUMNS, type ChannelRecord } from "../../../src/catalog/channels/card.ts";
import { storedCard } from "../../../src/catalog/channels/stored-card.ts";
import { sitePages } from "../../../src/doors/site/site-pages.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { startSiteWorld } from "../../support/site-world.ts";
import { signedInMember, signedInVisitor, type Visitor } from "../../support/visitor.ts";
import { callsWith, created, deliverPost, MINUTE_MS, pass } from "../../support/webhook-calls.ts";

/** Pages show whatever channels, posts and addresses contain as text, in its place. */

const HOSTILE =
  "</title></textarea><script>alert(1)</script><img src=x onerror=alert(2)>" +
  "\"' onmouseover='alert(3)' \u202egnp.exe\u202c \u2067\u2066\u2069\u2069 &lt;b&gt; {{7*7}}";

let appliance: Appliance;
let owner: Visitor;
let key: string;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { title: HOSTILE, description: `${HOSTILE}\n${HOSTILE}`, handle: "hostile" }),
  ]);
  const { db } = appliance.app.domains;
  // A file of an earlier version may contain what imports refuse today.
  db.prepare(
    "UPDATE channel_cards SET link = ?, image = ?, category = ?, categories = ?, territory = ?",
  ).run("javascript:alert(1)", `data:text/html,${HOSTILE}`, HOSTILE, "<i>x</i> <u>", HOSTILE);
  storeCard();
  db.prepare("UPDATE categories SET name = ?").run(HOSTILE);
  db.prepare("UPDATE territories SET name = ?").run(HOSTILE);
  const customer = await appliance.customer({ access: "read_write" });
  key = customer.key;
  owner = await signedInMember(appliance, customer.organizationId, "owner", "o@example.com");
  await created(callsWith(appliance, key), {
    url: "https://hooks.example.com/?<script>alert(1)</script>\"'",
  });
  await pass(appliance, MINUTE_MS, MINUTE_MS);
  await deliverPost(appliance, 1);
  const today = { day: "2026-11-19", subscribers: 10 };
  await imported(appliance, "stats", [{ channel: 1, ...today }]);
  db.prepare("UPDATE posts SET text = ?, link = ?").run(HOSTILE.repeat(20), "javascript:alert(1)");
  db.prepare("UPDATE webhooks SET last_error = ?").run(HOSTILE);
  db.prepare("UPDATE webhook_attempts SET error = ?").run(HOSTILE);
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

/** Stores the card again from its columns. */
function storeCard(): void {
  const { db } = appliance.app.domains;
  const stored = db
    .prepare<ChannelRecord>(
      `SELECT ${CHANNEL_COLUMNS} FROM channels c JOIN channel_cards k ON k.id = c.id`,
    )
    .get() as ChannelRecord;
  db.prepare("UPDATE public_cards SET json = ?").run(storedCard(stored));
}

/** Every page of the site, and those that show parts of their address with hostile addresses. */
const PAGES = [
  ...sitePages.map(({ path }) => path.replaceAll(/:\w+/g, "1")),
  "/account/channels/",
  `/account/channels/?q=${encodeURIComponent(HOSTILE)}`,
  `/account/channels/?category=${encodeURIComponent(HOSTILE)}`,
  `/account/channels/?territory=${encodeURIComponent(HOSTILE)}`,
  `/account/channels/?kind=${encodeURIComponent(HOSTILE)}&ordering=${encodeURIComponent(HOSTILE)}`,
  `/account/channels/?cursor=${encodeURIComponent(HOSTILE)}`,
  "/account/channels/1/",
  `/account/channels/1/?days=${encodeURIComponent(HOSTILE)}&cursor=${encodeURIComponent(HOSTILE)}`,
  `/account/channels/${encodeURIComponent(HOSTILE.replaceAll("/", ""))}/`,
  `/account/channels/?subscribers_min=${encodeURIComponent(HOSTILE)}&ids=${encodeURIComponent(HOSTILE)}`,
  "/account/channels/1/?days=all",
  "/account/compare/?channels=1",
  `/account/compare/?channels=${encodeURIComponent(HOSTILE)}&measure=${encodeURIComponent(HOSTILE)}`,
  "/account/webhooks/",
  `/account/webhooks/?channels=${encodeURIComponent(HOSTILE)}`,
  `/account/webhooks/?done=${encodeURIComponent(HOSTILE)}`,
  "/account/webhooks/1/",
  "/account/webhooks/1/?tried=1",
  `/account/webhooks/1/?before=${encodeURIComponent(HOSTILE)}`,
];

/** A channel's picture, which the appliance fetches; the page contains nothing of its address. */
const OWN_PICTURE = '<img src="/account/channels/1/picture/" alt="" loading="lazy"/>';

/** Pictures served by the appliance: of channels, and of the steps for adding a bot. */
const OWN_PICTURES =
  /<img (?:src="\/account\/channels\/\d+\/picture\/" alt="" loading="lazy"|class="picture" src="\/docs\/pictures\/[a-z-]+\.svg" alt="")\/>/g;

function expectHarmless(html: string, what: string): void {
  const tags = [...html.replace(OWN_PICTURES, "").matchAll(/<([a-z][a-z0-9]*)\b([^>]*)>/gi)];
  const scripts = tags.filter(([, name]) => name?.toLowerCase() === "script");
  expect(scripts.length, what).toBeGreaterThan(0);
  for (const [tag] of scripts) {
    expect(tag, what).toMatch(/^<script src="\/account\/assets\/(?:site|uplot)\.js" defer="">$/);
  }
  for (const [tag, name, attributes = ""] of tags) {
    expect(name, `${what}: ${tag}`).not.toMatch(/^(?:img|iframe|i|u|b|base|object|style)$/i);
    const bare = attributes.replace(/"[^"]*"/g, '""');
    expect(bare, `${what}: ${tag}`).not.toMatch(/\son\w+\s*=|'/i);
    expect(attributes, `${what}: ${tag}`).not.toMatch(
      /(?:href|src|action)="\s*(?:javascript|data):/i,
    );
  }
}

test("no text written by others becomes markup, a script or a link on any page", async () => {
  for (const path of PAGES) {
    const { html, headers, location } = await owner.get(path);
    // One address answers JSON for the documentation's script, and one answers a picture.
    const isPage = headers.get("content-type")?.startsWith("text/html") === true;
    expect(isPage || location !== null || /prefix|picture/.test(path), path).toBe(true);
    if (isPage) expectHarmless(html, path);
  }
  const channelPage = (await owner.get("/account/channels/1/")).html;
  expect(channelPage).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(channelPage).toContain("{{7*7}}");
  expect(channelPage).toContain("<bdi>javascript:alert(1)</bdi>");
});

test("no part of a picture's address gets into the element that shows it", async () => {
  const { db } = appliance.app.domains;
  const hostile = `https://evil.example/"><script>alert(1)</script><img src=x onerror=alert(2)>`;
  db.prepare("UPDATE channel_cards SET image = ?").run(hostile);
  storeCard();
  for (const path of ["/account/channels/", "/account/channels/1/"]) {
    const { html } = await owner.get(path);
    expect(html, path).toContain(OWN_PICTURE);
    expectHarmless(html, path);
  }
});

test("no text written by others changes the direction of its surroundings", async () => {
  for (const path of PAGES) {
    const { html } = await owner.get(path);
    // What the visitor typed stays in its own field, unchanged.
    const shown = html.replace(/<input[^>]*>/g, "").replace(/(?:href|action)="[^"]*"/g, "");
    const [control] = /[\u202a-\u202e\u2066-\u2069].{0,40}/.exec(shown) ?? [];
    expect(control, path).toBeUndefined();
  }
});

test("a form that is shown again shows typed text as text", async () => {
  for (const [path, action] of [
    ["/account/webhooks/", "create"],
    ["/account/webhooks/1/", "change"],
  ] as const) {
    const { status, html } = await owner.post(path, { action, url: HOSTILE, channels: HOSTILE });
    expect(status).toBe(400);
    expectHarmless(html, action);
    expect(html).toContain("&lt;/textarea&gt;&lt;script&gt;");
  }
});

/** Texts written by others, by table, besides those of cards and posts. */
const WRITTEN_BY_OTHERS: Record<string, readonly string[]> = {
  alerts: ["name"],
  audit_log: ["target"],
  categories: ["name"],
  import_runs: ["file_name", "failure"],
  jobs: ["failure"],
  keys: ["name"],
  members: ["name"],
  organizations: ["name"],
  people: ["name"],
  posts: ["text", "forwarded_from_name"],
  request_log: ["path"],
  source_chats: ["title", "handle", "fault"],
  sources: ["name", "failure"],
  territories: ["name"],
  webhook_attempts: ["error"],
  webhooks: ["last_error", "staff_note"],
};

test("the same holds for all pages of an appliance in use, whoever wrote the text", async () => {
  const world = await startSiteWorld();
  const { db } = world.appliance.app.domains;
  const visitor = await signedInVisitor(world.appliance, world.owner);
  for (const [table, columns] of Object.entries(WRITTEN_BY_OTHERS)) {
    for (const column of columns) {
      db.prepare(`UPDATE ${table} SET ${column} = coalesce(${column}, '') || ?`).run(HOSTILE);
    }
  }
  await imported(
    world.appliance,
    "channels",
    [1, 2, 8, 50, 100, 101].map((id) => ({ id, title: HOSTILE, description: HOSTILE })),
  );
  const shown = new Set<string>();
  for (const path of Object.values(world.pages).flat()) {
    const { html, status } = await visitor.get(path);
    if (status === 303) continue;
    expectHarmless(html, path);
    if (html.includes("&lt;script&gt;alert(1)")) shown.add(path);
  }
  expect(shown.size).toBeGreaterThan(30);
  expect(world.appliance.ports.log.errors).toEqual([]);
  await world.appliance.close();
});
