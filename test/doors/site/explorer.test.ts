import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { PlanCode } from "../../../src/customers/accounts/plan.ts";
import { dayOf, formatDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { signedInMember, type Visitor, visitorOf } from "../../support/visitor.ts";

const PATH = "/account/channels/";

let appliance: Appliance;
let customer: Customer;
let member: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  ({ customer, member } = await memberOn("profi"));
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

async function memberOn(plan: PlanCode, language = "en") {
  const made = await appliance.customer({ plan });
  const email = `${plan}-${language}@example.com`;
  const { organizationId } = made;
  const signedIn = await signedInMember(appliance, organizationId, "member", email, language);
  return { customer: made, member: signedIn };
}

/** The channels that a page lists, by number. */
const listed = ({ html }: { html: string }): number[] =>
  [...html.matchAll(/href="\/account\/channels\/(\d+)\/"/g)].map((match) => Number(match[1]));
const used = async (): Promise<number> =>
  (await appliance.request("/v1/me/", { key: customer.key })).body.usage.used;
const daysAgo = (days: number): string => formatDay(dayOf(appliance.ports.clock.now()) - days);
const postsOf = (ids: readonly number[]) =>
  imported(
    appliance,
    "posts",
    ids.map((id) => ({
      id,
      channel: 1,
      text: `Post number ${id}.`,
      views: 1234,
      published_at: new Date(appliance.ports.clock.now() - id * 60_000).toISOString(),
    })),
  );

describe("the catalog", () => {
  beforeEach(() =>
    imported(appliance, "channels", [
      channel(1, { title: "Научный вестник", handle: "science_news", category: "science" }),
      channel(2, { title: "Вестник города", subscribers: 5000, territory: "russia" }),
      channel(3, { title: "Болталка", kind: "chat" }),
      channel(4, { title: "Вестник закрытый", is_public: false }),
    ]),
  );

  test("is searched by words, category, territory, kind and order, without script", async () => {
    for (const [query, ids] of [
      ["", [2, 1]],
      ["?q=вестник", [2, 1]],
      ["?q=@SCIENCE_NEWS", [1]],
      ["?q=https://t.me/science_news", [1]],
      ["?category=science&q=", [1]],
      ["?territory=russia", [2]],
      ["?kind=chat", [3]],
      ["?q=ничего%20такого", []],
      ["?q=вестник&ordering=-quality", [1, 2]],
    ] as const) {
      const answer = await member.get(PATH + query);
      expect(answer.status, query).toBe(200);
      expect(listed(answer), query).toEqual([...ids]);
    }
    const { html } = await member.get(`${PATH}?q=вестник&category=science`);
    expect(html).toMatch(/<form method="get" action="\/account\/channels\/" data-live="results"/);
    expect(html).toContain('value="вестник"');
    expect(html).toContain('<option value="science" selected="">');
    expect(html).toContain("<bdi>@science_news</bdi>");
  });

  test("has pages by key that keep the filters, each channel on one of them", async () => {
    const rows = Array.from({ length: 120 }, (_, at) => channel(100 + at, { kind: "chat" }));
    await imported(appliance, "channels", rows);
    const seen: number[] = [];
    let path: string | undefined = `${PATH}?kind=chat`;
    while (path !== undefined) {
      const answer: { html: string } = await member.get(path);
      seen.push(...listed(answer));
      path = /href="([^"]+)" rel="next"/.exec(answer.html)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(seen).toHaveLength(121);
    expect(new Set(seen).size).toBe(121);
  });

  test("waits for three characters, without a fault", async () => {
    const { member: russian } = await memberOn("profi", "ru");
    const answer = await member.get(`${PATH}?q=%D0%B0%D0%B1`);
    expect(answer.status).toBe(200);
    expect(answer.html).toContain("Type three characters or more.");
    expect((await russian.get(`${PATH}?q=ab`)).html).toContain("Введите три знака или больше.");
    expect((await member.get(`${PATH}?q=ab&kind=group`)).status).toBe(400);
    expect(appliance.ports.log.errors).toEqual([]);
  });

  test("says what is wrong with a search, in the page", async () => {
    const { member: russian } = await memberOn("profi", "ru");
    for (const [query, english] of [
      ["?category=none-such", "Object with slug=none-such does not exist."],
      ["?kind=group", "Kind: &quot;group&quot; is not a valid choice."],
      ["?cursor=made-up-cursor-text", "Invalid cursor."],
      ["?q=%00abc", "Null characters are not allowed."],
    ] as const) {
      const answer = await member.get(PATH + query);
      expect(answer.status, query).toBe(400);
      expect(answer.html, query).toContain(english);
      const { html } = await russian.get(PATH + query);
      expect(/<p class="notice"><bdi>([^<]+)</.exec(html)?.[1], query).toMatch(/[а-я]{3}/);
    }
  });
});

describe("a channel's page", () => {
  beforeEach(async () => {
    await imported(appliance, "channels", [
      channel(1, {
        handle: "science_news",
        description: "About\nscience",
        link: "https://t.me/science_news",
        category: "science",
        territory: "russia",
        quality: 7.5,
        verified: true,
      }),
      channel(2, { is_public: false }),
    ]);
    const days = [0, 29, 30, 89, 90, 365, 366];
    const rows = days.map((ago) => ({
      channel: 1,
      day: daysAgo(ago),
      subscribers: 5000 + ago,
      views: 10 * ago,
    }));
    await imported(appliance, "stats", rows);
  });

  test("shows the card, by number or handle; nothing of one that is not public", async () => {
    for (const path of ["1/", "science_news/", "SCIENCE_NEWS/"]) {
      const { status, html } = await member.get(PATH + path);
      expect(status, path).toBe(200);
      expect(html).toContain("<h1>Channel 1</h1>");
      expect(html).toContain("verified by its owner");
      expect(html).toContain("<dd>7.5</dd>");
      expect(html).toContain(
        '<a href="https://t.me/science_news" rel="noopener noreferrer nofollow">',
      );
      expect(html).toContain('href="/account/channels/?territory=russia"');
    }
    for (const path of ["2/", "999/", "no_such/", "%FF/", "%00/", "1e3/"]) {
      expect((await member.get(PATH + path)).status, path).toBe(404);
    }
  });

  test("charts subscribers and views by day, each from its table", async () => {
    for (const [query, days] of [
      ["", [29, 0]],
      ["?days=90", [89, 30, 29, 0]],
      ["?days=366", [365, 90, 89, 30, 29, 0]],
      ["?days=7", [29, 0]],
    ] as const) {
      const { html } = await member.get(`${PATH}1/${query}`);
      for (const [name, value] of [
        ["subscribers", (ago: number) => 5000 + ago],
        ["views", (ago: number) => 10 * ago],
      ] as const) {
        expect(html).toContain(`data-chart="${name}-by-day"`);
        const [, table = ""] =
          new RegExp(`<table id="${name}-by-day">(.*?)</table>`, "s").exec(html) ?? [];
        const cells = [...table.matchAll(/data-value="([^"]+)"/g)].map((match) => match[1]);
        const expected = days.flatMap((ago) => [daysAgo(ago), String(value(ago))]);
        expect(cells, `${query} ${name}`).toEqual(expected);
      }
    }
  });

  test("shows the posts, newest first, page by page", async () => {
    await postsOf(Array.from({ length: 25 }, (_, at) => at + 1));
    const seen: number[] = [];
    let path: string | undefined = `${PATH}1/?days=90`;
    while (path !== undefined) {
      const { html }: { html: string } = await member.get(path);
      expect(html).toContain("<h1>Channel 1</h1>");
      seen.push(...[...html.matchAll(/Post number (\d+)\./g)].map((match) => Number(match[1])));
      expect(html).toContain("Views: 1,234");
      path = /href="([^"]+)#posts" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
    const wrong = await member.get(`${PATH}1/?cursor=made-up-cursor-text`);
    expect(wrong.html).toContain("Invalid cursor.");
  });

  test("folds a long post, and loses nothing of it", async () => {
    const words = Array.from({ length: 400 }, (_, at) => `word${at}`);
    const post = { id: 1, channel: 1, text: words.join(" "), published_at: "2026-11-19T12:00:00Z" };
    await imported(appliance, "posts", [post]);
    const { html } = await member.get(`${PATH}1/`);
    expect(html).toContain("The rest of the post");
    expect([...html.matchAll(/word\d+/g)].map(String)).toEqual(words);
  });

  test("on Test: 30 days of statistics and no posts, told in a sentence", async () => {
    await postsOf([1]);
    const { member: tester } = await memberOn("test");
    const { status, html } = await tester.get(`${PATH}1/`);
    expect(status).toBe(200);
    expect(html).toContain(`data-value="${daysAgo(29)}"`);
    expect(html).toContain("The plan Test does not include posts.");
    expect(html).not.toContain("Post number 1.");
    for (const days of [90, 366]) {
      const longer = await tester.get(`${PATH}1/?days=${days}`);
      expect(longer.status).toBe(200);
      expect(longer.html).toContain("The plan Test includes the statistics of the last 30 days.");
      expect(longer.html).not.toContain(`data-value="${daysAgo(30)}"`);
    }
    const { member: russian } = await memberOn("test", "ru");
    const told = (await russian.get(`${PATH}1/?days=90`)).html;
    expect(told).toContain("Тариф «Тест» включает статистику за последние 30 дней.");
    expect(told).toContain("Тариф «Тест» не включает посты.");
  });
});

test("looking costs no units and is counted nowhere", async () => {
  await imported(appliance, "channels", [channel(1)]);
  const before = await used();
  for (const path of [PATH, `${PATH}?q=channel`, `${PATH}1/`, `${PATH}1/?days=90`]) {
    expect((await member.get(path)).status).toBe(200);
  }
  expect(await used()).toBe(before);
  const usage = await appliance.request("/v1/usage/", { key: customer.key });
  expect(JSON.stringify(usage.body)).not.toContain("msgr_channels");
});

test("the explorer is for who is signed in and belongs to an organization", async () => {
  await imported(appliance, "channels", [channel(1)]);
  for (const path of [PATH, `${PATH}1/`]) {
    expect((await visitorOf(appliance).get(path)).location).toContain("/account/sign-in/?next=");
  }
});
