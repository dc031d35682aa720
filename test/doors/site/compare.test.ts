import { afterEach, beforeEach, expect, test } from "bun:test";
import type { PlanCode } from "../../../src/customers/accounts/plan.ts";
import { dayOf, formatDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { signedInMember, type Visitor, visitorOf } from "../../support/visitor.ts";

/** Up to five channels in one chart. */

const PATH = "/account/compare/";

let appliance: Appliance;
let member: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  member = await memberOn("profi");
  await imported(
    appliance,
    "channels",
    Array.from({ length: 8 }, (_, at) =>
      channel(at + 1, { handle: `channel_${at + 1}`, is_public: at !== 7 }),
    ),
  );
  await imported(appliance, "stats", [
    { channel: 1, day: daysAgo(9), subscribers: 1000, views: 50, posts: 1 },
    { channel: 1, day: daysAgo(2), subscribers: 1100, views: 70, posts: 1 },
    { channel: 2, day: daysAgo(9), subscribers: 40, views: 5, posts: 1 },
    { channel: 2, day: daysAgo(5), subscribers: 30, views: 6, posts: 1 },
    { channel: 2, day: daysAgo(80), subscribers: 20, views: 7, posts: 1 },
  ]);
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const daysAgo = (days: number): string => formatDay(dayOf(appliance.ports.clock.now()) - days);

async function memberOn(plan: PlanCode): Promise<Visitor> {
  const { organizationId } = await appliance.customer({ plan });
  return signedInMember(appliance, organizationId, "member", `${plan}@example.com`);
}

/** Rows of the table that the chart is drawn from: the day, and a value of each channel. */
function drawn(html: string): string[][] {
  const [, table = ""] = /<table id="compared">(.*?)<\/table>/s.exec(html) ?? [];
  return [...table.matchAll(/<tr><th scope="row".*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/data-value="([^"]*)"/g)].map(([, value = ""]) => value),
  );
}
const chosen = (html: string): number[] =>
  [...html.matchAll(/<input type="hidden" name="channels" value="(\d+)"/g)].map(([, id]) =>
    Number(id),
  );

test("draws a line per channel, up to the last reading of all of them", async () => {
  const { html } = await member.get(`${PATH}?channels=2&channels=1&measure=subscribers`);
  expect(html).toContain(`data-from="${daysAgo(31)}" data-to="${daysAgo(2)}"`);
  expect(html).toContain('<a href="/account/channels/" aria-current="true">');
  expect(drawn(html)).toEqual([
    [daysAgo(9), "40", "1000"],
    [daysAgo(5), "30", ""],
    [daysAgo(2), "", "1100"],
  ]);
  const growth = (await member.get(`${PATH}?channels=2,1`)).html;
  expect(drawn(growth)).toEqual([
    [daysAgo(9), "0", "0"],
    [daysAgo(5), "-25", ""],
    [daysAgo(2), "", "10"],
  ]);
  expect(growth).toContain('data-unit="%"');
  const views = (await member.get(`${PATH}?channels=2&measure=views&days=90`)).html;
  expect(drawn(views)).toEqual([
    [daysAgo(80), "7"],
    [daysAgo(9), "5"],
    [daysAgo(5), "6"],
  ]);
  const text = html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
  expect(text).toContain("+100 (+10%)");
});

test("accepts numbers, @handles and links without duplicates, at most five, and names unknown ones", async () => {
  const named = encodeURIComponent(
    "@channel_3, https://t.me/channel_4 1 1 @CHANNEL_1 nobody_here 8 99",
  );
  const { status, html } = await member.get(`${PATH}?channels=${named}`);
  expect(status).toBe(200);
  expect(chosen(html)).toEqual([3, 4, 1]);
  expect(html).toContain("No such public channel: <bdi>nobody_here, 8, 99</bdi>");
  const many = await member.get(`${PATH}?channels=1,2,3,4,5,6,7`);
  expect(chosen(many.html)).toEqual([1, 2, 3, 4, 5]);
  expect(many.html).toContain("Up to 5 channels can be compared at once");
  expect(many.html).not.toContain("data-picker");
  const one = await member.get(`${PATH}?channels=1,2&days=90`);
  expect(one.html).toContain('href="/account/compare/?channels=2&amp;days=90&amp;measure=growth"');
  for (const query of ["", "?channels=", "?channels=%00", "?channels=@", "?measure=x&days=x"]) {
    const empty = await member.get(PATH + query);
    expect(empty.status, query).toBe(200);
    expect(empty.html, query).toContain("Add up to five channels");
  }
});

test("shows no more than the current plan includes", async () => {
  const tester = await memberOn("test");
  const { html } = await tester.get(`${PATH}?channels=1,2`);
  expect(drawn(html)).toHaveLength(3);
  const longer = (await tester.get(`${PATH}?channels=1,2&days=90`)).html;
  expect(longer).toContain("The Test plan includes statistics for the last 30 days.");
  expect(drawn(longer)).toEqual([]);
  expect((await visitorOf(appliance).get(PATH)).location).toContain("/account/sign-in/?next=");
});

test("the API calls that a page shows are answered on the plan, however old the data is", async () => {
  await imported(appliance, "channels", [
    channel(11, { last_post_at: `${daysAgo(300)}T10:00:00Z` }),
    channel(12),
  ]);
  await imported(appliance, "stats", [{ channel: 12, day: daysAgo(300), subscribers: 5 }]);
  let calls = 0;
  for (const plan of ["test", "profi"] as const) {
    const { organizationId, key } = await appliance.customer({ plan });
    const email = `other-${plan}@example.com`;
    const visitor = await signedInMember(appliance, organizationId, "member", email);
    for (const id of [1, 11, 12]) {
      for (const period of ["", "days=366", "days=all"]) {
        for (const page of [`/account/channels/${id}/?`, `${PATH}?channels=${id}&`]) {
          const { html } = await visitor.get(page + period);
          for (const path of offeredPaths(html)) {
            const { status } = await appliance.get(path, key);
            expect({ plan, page, period, path, status }).toMatchObject({ status: 200 });
            calls += 1;
          }
        }
      }
    }
  }
  expect(calls).toBeGreaterThan(60);
});

/** Paths of the commands on a page. */
function offeredPaths(html: string): string[] {
  const text = html.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  const commands = text.matchAll(
    /curl (?:-G )?-H "[^"]*" '([^']+)'((?:\s*\\\s*--data-urlencode '[^']*')*)/g,
  );
  return [...commands].map(([, address = "", given = ""]) => {
    const query = new URLSearchParams();
    for (const [, name = "", value = ""] of given.matchAll(/'([^=']+)=([^']*)'/g)) {
      query.set(name, value);
    }
    return `${new URL(address).pathname}?${query}`;
  });
}
