import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import type { PlanCode } from "../../../src/customers/accounts/plan.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { dayOf, formatDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { signedInMember, type Visitor, visitorOf } from "../../support/visitor.ts";

const PATH = "/account/channels/";

let appliance: Appliance;
let customer: Customer;
let member: Visitor & { memberId: number };
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

/** Numbers of the channels that a page lists. */
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

  test("is searched by words, category, territory, kind and order, even without the script", async () => {
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

  test("has pages that keep the filters, and shows each channel on one of them", async () => {
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

  test("has all filters of the API, keeps them in its address, and says how many channels match", async () => {
    await imported(appliance, "channels", [
      channel(5, { a_plus: true, subscribers: 300, title: "Пятый" }),
      channel(6, { verified: true, subscribers: 900 }),
    ]);
    for (const [query, ids] of [
      ["?subscribers_min=301&subscribers_max=900", [6]],
      ["?subscribers_min=0,301+тыс.&subscribers_max=0.9k", [6]],
      ["?a_plus=true", [5]],
      ["?a_plus=false&subscribers_max=5000&subscribers_min=1", [2, 1, 6]],
      ["?verified=true", [6]],
      ["?ids=5,1,4,999&q=x", [5, 1]],
    ] as const) {
      const answer = await member.get(PATH + query);
      expect(listed(answer), query).toEqual([...ids]);
      const found = query.includes("ids") ? "Channels on this page" : "Channels found";
      expect(answer.html, query).toContain(`<strong>${found}: ${ids.length}</strong>`);
    }
    const { html } = await member.get(`${PATH}?a_plus=true&subscribers_min=100&q=пят`);
    expect(html).toContain('name="subscribers_min" value="100"');
    expect(html).toContain("<summary>More filters (2)</summary>");
    for (const filter of ["q=пят", "a_plus=true", "subscribers_min=100"]) {
      expect(html).toContain(`--data-urlencode &#39;${filter}&#39;`);
    }
    expect(html).not.toContain("&#39;verified=");
    for (const query of ["?subscribers_min=x", "?a_plus=maybe", "?ids=1,x"]) {
      expect((await member.get(PATH + query)).status, query).toBe(400);
    }
    const wrong = await member.get(`${PATH}?subscribers_min=many`);
    expect(wrong.html).toContain(
      "Min. subscribers: Enter a number, such as 5500, 5.5k or 1 000 000.",
    );
  });

  test("counts up to a thousand and says if there are more", async () => {
    const rows = Array.from({ length: 1_100 }, (_, at) => channel(1_000 + at, { kind: "chat" }));
    await imported(appliance, "channels", rows.slice(0, 999));
    expect((await member.get(`${PATH}?kind=chat`)).html).toContain("Channels found: 1,000<");
    await imported(appliance, "channels", rows);
    expect((await member.get(`${PATH}?kind=chat`)).html).toContain(
      "Channels found: more than 1,000<",
    );
  });

  test("draws a line of the latest readings beside each channel, limited to what the plan shows", async () => {
    await imported(
      appliance,
      "stats",
      [40, 35, 20, 10].map((ago) => ({
        channel: 1,
        day: daysAgo(ago),
        subscribers: 1000 - 10 * ago,
      })),
    );
    const { member: tester } = await memberOn("test");
    const { html } = await member.get(`${PATH}?q=научный`);
    expect(html).toMatch(/<path d="M2 22L30 19L58 9L86 2"/);
    const cut = (await tester.get(`${PATH}?q=научный`)).html;
    expect(cut).toMatch(/<path d="M2 22L86 2"/);
    // A channel without readings has a dash, as for its other figures.
    const without = (await member.get(`${PATH}?q=города`)).html;
    expect(without).toMatch(/<td class="whole"[^>]*>—<\/td>/);
  });

  test("downloads the export's file, for the units that its button states", async () => {
    await imported(appliance, "channels", [channel(7, { title: "=cmd|' /C calc'!A0" })]);
    const rows = Array.from({ length: 1_200 }, (_, at) => channel(100 + at, { subscribers: 5 }));
    await imported(appliance, "channels", rows);
    const small = (await member.get(`${PATH}?q=${encodeURIComponent("вестник")}`)).html;
    expect(small).toContain("<small>1 unit</small>");
    expect((await member.get(PATH)).html).toContain("<small>1 unit per 1,000 channels</small>");
    expect((await member.get(`${PATH}?ids=1,2`)).html).not.toContain('value="export"');
    const { memberId } = member;
    const key = { memberId, name: "own", access: "read_only", expiresAt: null } as const;
    const refused = await member.post(PATH, { action: "export" });
    expect([refused.status, refused.html.includes("Create an API key first")]).toEqual([409, true]);
    await appliance.app.domains.keys.createKey(key, COMMAND_LINE);

    const before = await used();
    const found = await member.post(
      `${PATH}?q=${encodeURIComponent("вестник")}&ordering=-quality`,
      {
        action: "export",
      },
    );
    expect(found.headers.get("content-disposition")).toMatch(/filename="channels-[\dT-]+\.csv"/);
    expect(found.body.split("\n").map((line: string) => line.split(",")[0])).toEqual([
      ...["id", "1", "2", ""],
    ]);
    const { body } = await member.post(PATH, { action: "export" });
    expect(body.trimEnd().split("\n")).toHaveLength(1 + 1_203);
    expect(body).toContain("7,,'=cmd|' /C calc'!A0");
    expect(await used()).toBe(before + 1 + 2);
    expect((await member.post(`${PATH}?kind=group`, { action: "export" })).status).toBe(400);

    const { member: grower } = await memberOn("growth");
    expect((await grower.get(PATH)).html).toContain(
      "File downloads are available on the Profi plan",
    );
    expect((await grower.post(PATH, { action: "export" })).status).toBe(409);
  });

  test("is searched by the channel pickers of forms too", async () => {
    await imported(appliance, "channels", [channel(7, { title: "Семь" })]);
    for (const [q, ids] of [
      ["вестник", [2, 1]],
      ["7", [7]],
      ["@science_news", [1]],
      ["ве", []],
      ["4", []],
    ] as const) {
      const answer = await member.get(`${PATH}?as=choices&q=${encodeURIComponent(q)}`);
      const found = answer.body as { id: number }[];
      expect(
        found.map(({ id }) => id),
        q,
      ).toEqual([...ids]);
    }
  });

  test("waits for three characters without reporting a fault", async () => {
    const { member: russian } = await memberOn("profi", "ru");
    const answer = await member.get(`${PATH}?q=%D0%B0%D0%B1`);
    expect(answer.status).toBe(200);
    expect(answer.html).toContain("Type at least three characters.");
    expect((await russian.get(`${PATH}?q=ab`)).html).toContain("Введите три знака или больше.");
    expect((await member.get(`${PATH}?q=ab&kind=group`)).status).toBe(400);
    expect(appliance.ports.log.errors).toEqual([]);
  });

  test("reports what is wrong with a search on the page", async () => {
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

  test("shows the card by number or handle, and nothing of a channel that is not public", async () => {
    for (const path of ["1/", "science_news/", "SCIENCE_NEWS/"]) {
      const { status, html } = await member.get(PATH + path);
      expect(status, path).toBe(200);
      expect(html).toContain("<h1>Channel 1</h1>");
      expect(html).toContain("Verified by its owner");
      expect(html).toContain("<dd>7.5</dd>");
      expect(html).toContain(
        '<a href="https://t.me/science_news" rel="noopener noreferrer nofollow"><bdi>@science_news</bdi>',
      );
      expect(html).toContain('href="/account/channels/?territory=russia"');
    }
    for (const path of ["2/", "999/", "no_such/", "%FF/", "%00/", "1e3/"]) {
      expect((await member.get(PATH + path)).status, path).toBe(404);
    }
  });

  test("shows subscribers and views by day in one chart, which ends at the last reading", async () => {
    await imported(appliance, "channels", [channel(3), channel(4)]);
    await imported(appliance, "stats", [
      { channel: 3, day: "2024-05-10", subscribers: 70, views: 7 },
      { channel: 3, day: "2024-04-11", subscribers: 60, views: 6 },
      { channel: 3, day: "2024-04-10", subscribers: 50, views: 5 },
      { channel: 3, day: "2020-01-01", subscribers: 40, views: 4 },
    ]);
    for (const [path, from, to, shown] of [
      ["1/", daysAgo(29), daysAgo(0), [29, 0]],
      ["1/?days=90", daysAgo(89), daysAgo(0), [89, 30, 29, 0]],
      ["1/?days=366", daysAgo(365), daysAgo(0), [365, 90, 89, 30, 29, 0]],
      ["1/?days=all", daysAgo(366), daysAgo(0), [366, 365, 90, 89, 30, 29, 0]],
      ["1/?days=7", daysAgo(29), daysAgo(0), [29, 0]],
      ["3/", "2024-04-11", "2024-05-10", [60, 70]],
      ["3/?days=90", "2024-02-11", "2024-05-10", [50, 60, 70]],
      ["3/?days=366", "2024-04-10", "2024-05-10", [50, 60, 70]],
      ["3/?days=all", "2020-01-01", "2024-05-10", [40, 50, 60, 70]],
    ] as const) {
      const { html } = await member.get(PATH + path);
      expect(html, path).toContain(`data-chart="readings" data-from="${from}" data-to="${to}"`);
      const [, table = ""] = /<table id="readings">(.*?)<\/table>/s.exec(html) ?? [];
      const rows = [...table.matchAll(/<tr><th scope="row" data-value="([^"]+)".*?<\/tr>/gs)];
      const cells = rows.map(([row]) =>
        [...row.matchAll(/<td class="number" data-value="(\d+)"/g)].map((cell) => Number(cell[1])),
      );
      const expected = path.startsWith("1/")
        ? shown.map((ago) => [5000 + ago, 10 * ago, 0])
        : shown.map((subscribers) => [subscribers, subscribers / 10, 0]);
      expect(cells, path).toEqual(expected);
    }
    const empty = (await member.get(`${PATH}4/`)).html;
    expect(empty).toContain("No readings in this period.");
    expect(empty).not.toContain("data-chart");
  });

  test("a channel whose posts are all of today is not said to have none", async () => {
    await imported(appliance, "channels", [channel(77, { handle: "of_today" })]);
    await imported(appliance, "posts", [
      { id: 7_001, channel: 77, text: "first", published_at: "2026-11-20T09:00:00+03:00" },
    ]);
    await computeMetrics(appliance.app.domains.db, appliance.ports.clock);
    const { html } = await member.get(`${PATH}77/`);
    expect(html).not.toContain("no posts in the last 30 days");
    expect(html).toContain("today’s posts count from tomorrow");
  });

  test("shows a small growth with enough decimals: neither as zero nor doubled", async () => {
    await imported(appliance, "channels", [channel(5, { subscribers: 30_007 })]);
    const days = [
      [0, 30_007],
      [7, 30_000],
      [30, 30_022],
    ] as const;
    await imported(
      appliance,
      "stats",
      days.map(([ago, subscribers]) => ({ channel: 5, day: daysAgo(ago), subscribers, views: 0 })),
    );
    await computeMetrics(appliance.app.domains.db, appliance.ports.clock);
    const text = (await member.get(`${PATH}5/`)).html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
    expect(text).toContain("+7 (+0.02%) in 7 days −15 (−0.05%) in 30 days");
  });

  test("shows growth, and means and ads of the posts themselves, whatever the days say", async () => {
    await imported(appliance, "channels", [channel(5, { subscribers: 2000 })]);
    const days = [
      [0, 2000, 0, 1],
      [7, 1900, 100, 1],
      [30, 2500, 0, 0],
    ] as const;
    await imported(
      appliance,
      "stats",
      days.map(([ago, subscribers, views, posts]) => ({
        ...{ channel: 5, day: daysAgo(ago) },
        ...{ subscribers, views, posts },
      })),
    );
    const at = (hours: number) =>
      new Date(appliance.ports.clock.now() - hours * 3_600_000).toISOString();
    await imported(appliance, "posts", [
      {
        id: 51,
        channel: 5,
        text: "Реклама",
        views: 10,
        is_ad: true,
        published_at: at(25),
        views_1h: 8,
      },
      { id: 52, channel: 5, text: "Пост", views: 900, published_at: at(25), views_1h: 13 },
      { id: 53, channel: 5, text: "Ещё", views: 20, published_at: at(26) },
    ]);
    await computeMetrics(appliance.app.domains.db, appliance.ports.clock);
    const { html } = await member.get(`${PATH}5/`);
    const text = html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
    expect(text).toContain("Subscribers 2,000 +100 (+5.3%) in 7 days −500 (−20%) in 30 days");
    expect(text).toContain("Views per post 310 15.5% of subscribers, 30 days");
    expect(text).toContain("Posts per day 0.1 30 days");
    expect(text).toContain("Share of ads 33.3% 1 of 3 posts");
    // Nobody read the views of the last day's post.
    expect(html).toContain('data-value="2000">2,000</td><td class="number" data-value="">—</td>');
    expect(text).toContain(
      "Reach by age of post Age Views Ads 1 hour 11 (2) 8 (1) 24 hours 310 (3) 10 (1) Mean views",
    );
    const [, best = ""] = /<ol class="best">(.*?)<\/ol>/s.exec(html) ?? [];
    expect([...best.matchAll(/Views: (\d+)/g)].map((match) => match[1])).toEqual([
      "900",
      "20",
      "10",
    ]);
    const heat = [...html.matchAll(/<td class="shade-(\d)">(\d+)<\/td>/g)];
    expect(heat).toHaveLength(7 * 24);
    const busy = heat.flatMap(([, shade, posts], hour) =>
      posts === "0" ? [] : [[hour, Number(posts), Number(shade)]],
    );
    const now = new Date(appliance.ports.clock.now() - 21 * 3_600_000);
    const hour = ((now.getUTCDay() + 6) % 7) * 24 + now.getUTCHours();
    expect(busy).toEqual([
      [hour - 2, 1, 3],
      [hour - 1, 2, 5],
    ]);
  });

  test("offers files without invisible characters and formulas", async () => {
    await postsOf([1]);
    const published_at = "2026-11-01T10:00:00Z";
    await imported(appliance, "posts", [
      { id: 2, channel: 1, text: "\u202e=1+1\u200b \u2066a\ufeff👨‍👩‍👧", published_at },
      { id: 3, channel: 1, text: "\ufeff@SUM(A1)", published_at },
    ]);
    const { body } = await member.get(`${PATH}1/?download=posts`);
    expect(body).toContain(",'=1+1 a👨‍👩‍👧\n");
    expect(body).toContain(",'@SUM(A1)\n");
    expect(body).not.toMatch(/[\u202e\u2066\u200b\ufeff]/);
  });

  test("allows ten downloads in a burst, then one at a time", async () => {
    const path = `${PATH}1/?download=readings`;
    for (let at = 0; at < 10; at += 1) expect((await member.get(path)).status).toBe(200);
    const refused = await member.get(path);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "15"]);
    expect(refused.html).toContain("Try again in 15 seconds.");
    expect((await member.get(`${PATH}1/`)).status).toBe(200);
    appliance.ports.clock.advance(15_000);
    expect((await member.get(path)).status).toBe(200);
    expect((await member.get(path)).status).toBe(429);
  });

  test("downloads its days and posts as CSV without formulas, and shows the same as API calls", async () => {
    await postsOf([1]);
    await imported(appliance, "posts", [
      { id: 2, channel: 1, text: '=HYPERLINK("x")', published_at: "2026-11-01T10:00:00Z" },
    ]);
    const readings = await member.get(`${PATH}1/?days=90&download=readings`);
    expect(readings.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(readings.headers.get("content-disposition")).toBe(
      `attachment; filename="channel-1-${daysAgo(89)}-${daysAgo(0)}.csv"`,
    );
    expect(readings.body.split("\n").slice(0, 2)).toEqual([
      "channel,day,subscribers,views,posts",
      `1,${daysAgo(89)},5089,890,0`,
    ]);
    const posts = await member.get(`${PATH}1/?download=posts`);
    expect(posts.body).toContain(`"'=HYPERLINK(""x"")"`);
    const { html } = await member.get(`${PATH}1/?days=90`);
    expect(html).toContain("--data-urlencode &#39;channels=1&#39;");
    expect(html).toContain(`--data-urlencode &#39;from=${daysAgo(89)}&#39;`);
    expect(html).toContain('href="/account/webhooks/?channels=1#create"');
  });

  test("shows posts page by page, newest first", async () => {
    await postsOf(Array.from({ length: 25 }, (_, at) => at + 1));
    const seen: number[] = [];
    let path: string | undefined = `${PATH}1/?days=90`;
    while (path !== undefined) {
      const { html }: { html: string } = await member.get(path);
      expect(html).toContain("<h1>Channel 1</h1>");
      const posts = html.slice(html.indexOf('id="posts"'));
      seen.push(...[...posts.matchAll(/Post number (\d+)\./g)].map((match) => Number(match[1])));
      expect(html).toContain("Views: 1,234");
      path = /href="([^"]+)#posts" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
    const wrong = await member.get(`${PATH}1/?cursor=made-up-cursor-text`);
    expect(wrong.html).toContain("Invalid cursor.");
  });

  test("folds a long post without losing any of it", async () => {
    const words = Array.from({ length: 400 }, (_, at) => `word${at}`);
    const post = { id: 1, channel: 1, text: words.join(" "), published_at: "2026-11-19T12:00:00Z" };
    await imported(appliance, "posts", [post]);
    const { html } = await member.get(`${PATH}1/`);
    expect(html).toContain("Show the rest of the post");
    expect([...html.matchAll(/word\d+/g)].map(String)).toEqual(words);
  });

  test("on Test, shows 30 days of statistics, and a sentence instead of posts", async () => {
    await postsOf([1]);
    const { member: tester } = await memberOn("test");
    const { status, html } = await tester.get(`${PATH}1/`);
    expect(status).toBe(200);
    expect(html).toContain(`data-value="${daysAgo(29)}"`);
    expect(html).toContain("The Test plan does not include posts.");
    expect(html).not.toContain("Post number 1.");
    for (const days of [90, 366]) {
      const longer = await tester.get(`${PATH}1/?days=${days}`);
      expect(longer.status).toBe(200);
      expect(longer.html).toContain("The Test plan includes statistics for the last 30 days.");
      expect(longer.html).not.toContain(`data-value="${daysAgo(30)}"`);
    }
    const { member: russian } = await memberOn("test", "ru");
    const page = (await russian.get(`${PATH}1/?days=90`)).html;
    expect(page).toContain("Тариф «Тест» включает статистику за последние 30 дней.");
    expect(page).toContain("Тариф «Тест» не включает посты.");
  });
});

test("viewing costs no units and is not counted", async () => {
  await imported(appliance, "channels", [channel(1)]);
  const before = await used();
  for (const path of [PATH, `${PATH}?q=channel`, `${PATH}1/`, `${PATH}1/?days=90`]) {
    expect((await member.get(path)).status).toBe(200);
  }
  expect(await used()).toBe(before);
  const usage = await appliance.request("/v1/usage/", { key: customer.key });
  expect(JSON.stringify(usage.body)).not.toContain("msgr_channels");
});

test("the explorer is only for members of an organization who are signed in", async () => {
  await imported(appliance, "channels", [channel(1)]);
  for (const path of [PATH, `${PATH}1/`]) {
    expect((await visitorOf(appliance).get(path)).location).toContain("/account/sign-in/?next=");
  }
});
