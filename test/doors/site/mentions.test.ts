import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { signedInMember } from "../../support/visitor.ts";

/** Who mentions a channel, and similar channels, as pages show them. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { handle: "one", title: "Первый", category: "science" }),
    channel(2, { handle: "two", title: "Second <b>&", category: "science" }),
    channel(3, { handle: "three", title: "Third" }),
  ]);
  const at = (minute: number) => `2026-11-19T10:${String(minute).padStart(2, "0")}:00Z`;
  await imported(appliance, "posts", [
    ...Array.from({ length: 25 }, (_, id) => ({
      ...{ id: id + 1, channel: 2, text: `Text ${id + 1} @one`, published_at: at(id) },
    })),
    { id: 30, channel: 3, text: "x", forwarded_from: 1, published_at: at(40) },
    { id: 31, channel: 1, text: "t.me/three @nobody", published_at: at(41) },
  ]);
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

async function memberOn(plan: "test" | "start", language = "en") {
  const { organizationId } = await appliance.customer({ plan });
  const email = `${plan}-${language}@example.com`;
  return signedInMember(appliance, organizationId, "member", email, language);
}

test("the channel's page shows its latest mentions and similar channels", async () => {
  const { html } = await (await memberOn("start")).get("/account/channels/1/");
  expect(html).toContain("Who mentions it");
  expect(html).toContain("Second &lt;b&gt;&amp;");
  expect(html).toContain("Text 25");
  expect(html).not.toContain("Text 20");
  expect(html).toContain("Similar channels");
  expect(html).toContain("same category, similar size");
  expect(html).toContain('href="/account/channels/1/mentions/"');
  const ru = (await (await memberOn("start", "ru")).get("/account/channels/1/")).html;
  expect(ru).toContain("Кто упоминает");
  expect(ru).toContain("та же категория, близкий размер");
});

test("a page shows who mentions whom as a diagram and lists, and all mentions page by page", async () => {
  const member = await memberOn("start");
  const path = "/account/channels/1/mentions/";
  const { html } = await member.get(path);
  const [, picture = ""] =
    /<svg class="neighbourhood"[^>]*aria-hidden="true">(.*?)<\/svg>/s.exec(html) ?? [];
  expect([...picture.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((match) => match[1])).toEqual([
    ...["Second &lt;b&gt;&amp;", "Third", "Third", "Первый"],
  ]);
  expect(picture.match(/<path/g)).toHaveLength(3);
  expect(html).toContain("Channels that mention it");
  expect(html).toMatch(/Second &lt;b&gt;&amp;<\/bdi><\/a><\/span><\/th><td class="number">25</);
  expect(html.match(/<article>/g)).toHaveLength(20);
  const next = /href="([^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const second = (await member.get(next.replace(/#.*/, ""))).html;
  expect(second.match(/<article>/g)).toHaveLength(6);
  const forwards = (await member.get(`${path}?kind=forward`)).html;
  expect(forwards.match(/<article>/g)).toHaveLength(1);
  expect((await member.get(`${path}?kind=quote`)).status).toBe(400);
  expect((await member.get("/account/channels/77/mentions/")).status).toBe(404);
  const lonely = (await member.get("/account/channels/two/mentions/")).html;
  expect(lonely).toContain("No other channel has mentioned it yet.");
});

test("the diagram names the twelve most frequent channels each way, and neither hidden ones nor itself", async () => {
  const some = Array.from({ length: 13 }, (_, at) => 40 + at);
  await imported(appliance, "channels", [
    ...some.map((id) => channel(id, { handle: `h${id}`, title: `Neighbour ${id}` })),
    channel(60, { handle: "hidden", title: "Hidden", is_public: false }),
    channel(61, { handle: "middle", title: "Middle" }),
  ]);
  const at = { published_at: "2026-11-19T11:00:00Z" };
  await imported(appliance, "posts", [
    { id: 100, channel: 61, text: some.map((id) => `@h${id}`).join(" "), ...at },
    { id: 101, channel: 61, text: "@hidden @middle @h50", ...at },
    { id: 103, channel: 61, text: "@hidden @middle", ...at },
    { id: 102, channel: 60, text: "@middle", ...at },
  ]);
  const { html } = await (await memberOn("start")).get("/account/channels/61/mentions/");
  const named = [...html.matchAll(/<bdi>([^<]*)<\/bdi><\/a><\/span><\/th>/g)].map(
    (match) => match[1],
  );
  const expected = [50, ...some.filter((id) => id !== 50)].slice(0, 12);
  expect(named).toEqual(expected.map((id) => `Neighbour ${id}`));
  expect(html).not.toContain("Hidden");
});

test("a plan without posts is explained in words", async () => {
  const tester = await memberOn("test");
  for (const path of ["/account/channels/1/", "/account/channels/1/mentions/"]) {
    const { status, html } = await tester.get(path);
    expect(status).toBe(200);
    expect(html).toContain("The Test plan does not include mentions");
  }
});
