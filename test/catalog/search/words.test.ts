import { afterAll, beforeAll, expect, test } from "bun:test";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { channel, expectOk, idsOf, imported, pathOfNext } from "../../support/expectations.ts";
import { expectToolResult, mcpRequests } from "../../support/mcp-requests.ts";
import { addPerson, signedInVisitor } from "../../support/visitor.ts";

/** Titles by their words, and the nearest ones where nothing is found (questions, section 12). */

let appliance: Appliance;
let customer: Customer;
beforeAll(async () => {
  appliance = await startAppliance();
  customer = await appliance.customer();
  await imported(appliance, "channels", [
    channel(1, { title: "Новости Москвы", subscribers: 900, category: "news" }),
    channel(2, { title: "🔥Москва: «Новости» 24", subscribers: 800, category: "news" }),
    channel(3, { title: "Подмосковные новости", subscribers: 700 }),
    channel(4, { title: "РИА Новости", handle: "rian_ru", subscribers: 600 }),
    channel(5, { title: "Типичный программист", subscribers: 500, category: "science" }),
    channel(6, { title: "Типичный дизайнер", subscribers: 400 }),
    channel(7, { title: "Скрытые новости Москвы", subscribers: 10_000, is_public: false }),
    channel(8, { title: "Чат: новости Москвы", subscribers: 300, kind: "chat" }),
  ]);
});
afterAll(() => appliance.close());

const list = (q: string, more = "") => `/v1/msgr/channels/?q=${encodeURIComponent(q)}${more}`;
const found = async (q: string, more = "") =>
  idsOf(await expectOk(appliance, list(q, more), customer.key));
const suggested = async (q: string, more = "") => {
  const { body } = await expectOk(appliance, list(q, more), customer.key);
  expect(body.results).toEqual([]);
  return (body.suggestions ?? []).map(({ title }: { title: string }) => title);
};
const used = async () => (await expectOk(appliance, "/v1/me/", customer.key)).body.usage.used;

test("finds words in any order, each by its beginning, and any part of a title as before", async () => {
  expect(await found("новости москвы")).toEqual([1]);
  expect(await found("МОСКВЫ новости")).toEqual([1]);
  expect(await found("моск нов")).toEqual([1, 2]);
  expect(await found("rian новости")).toEqual([4]);
  // A part of a title need not begin a word; one of several words must.
  expect(await found("оск")).toEqual([1, 2, 3]);
  expect(await found("ости моск")).toEqual([1]);
  expect(await found("моск ости")).toEqual([]);
  // With a word of one or two letters they are found as they stand only.
  expect(await found("24 москва новости")).toEqual([]);
  expect(await found("РИА Но")).toEqual([4]);
  expect(await found("москвы новости", "&kind=chat")).toEqual([8]);
  expect(await found("москвы новости", "&category=science")).toEqual([]);
});

test("counts, pages, exports and statistics have the same channels", async () => {
  const { body } = await expectOk(appliance, list("нов мос", "&limit=1"), customer.key);
  expect(idsOf({ body } as never)).toEqual([1]);
  expect(idsOf(await expectOk(appliance, pathOfNext(body.next), customer.key))).toEqual([2]);
  const q = encodeURIComponent("нов мос");
  const of = await expectOk(appliance, `/v1/msgr/channels/stats/?q=${q}`, customer.key);
  expect(of.body.channels).toBe(2);
  const path = `/v1/msgr/export/channels/?format=ndjson&kind=channel&q=${q}`;
  const { body: file } = await appliance.request(path, { key: customer.key });
  expect(
    file
      .trim()
      .split("\n")
      .map((line: string) => JSON.parse(line).id),
  ).toEqual([1, 2]);
});

test("suggests up to five nearest titles where nothing is found, and charges nothing for them", async () => {
  const before = await used();
  const path = list("новасти москвы");
  const { body, headers } = await expectOk(appliance, path, customer.key);
  expect(body.results).toEqual([]);
  expect(body.suggestions[0]).toEqual({
    ...{ id: 1, title: "Новости Москвы", handle: null, subscribers: 900 },
  });
  expect(body.suggestions.length).toBeLessThanOrEqual(5);
  expect(headers.get("x-request-cost")).toBe("1");
  expect(await used()).toBe(before + 1);
  expect(await suggested("типичный програмист")).toEqual([
    "Типичный программист",
    "Типичный дизайнер",
  ]);
  expect((await suggested("rianru"))[0]).toBe("РИА Новости");
  expect((await suggested("риановости"))[0]).toBe("РИА Новости");
  // Not hidden channels, nor those that another filter leaves out.
  expect(await suggested("новасти", "&kind=chat")).toEqual(["Чат: новости Москвы"]);
  expect(await suggested("новасти", "&category=science")).toEqual([]);
  expect(await suggested("qwxzvk")).toEqual([]);
  expect(await suggested("новасти", "&subscribers_max=650")).toEqual(["РИА Новости"]);
  // What is found has no suggestions, nor has a handle that nobody has.
  for (const q of ["новости", "@nobody"]) {
    const answer = await expectOk(appliance, list(q), customer.key);
    expect([q, answer.body.suggestions]).toEqual([q, undefined]);
  }
});

test("a list ordered by a metric suggests nothing: it may have left out what is looked for", async () => {
  await computeMetrics(appliance.app.domains.db, appliance.ports.clock);
  const path = list("типичный", "&ordering=-growth_7d");
  const { body } = await expectOk(appliance, path, customer.key);
  // Nobody has read these channels yet.
  expect([body.results, body.suggestions]).toEqual([[], undefined]);
  expect(body.note).toContain("6 in the whole catalog");
});

test("assistants get the suggestions in the data, and a name that is not taken is free", async () => {
  const before = await used();
  const mcp = mcpRequests(appliance, customer.key);
  const answer = await mcp.call("msgr_channels_list", { q: "новасти", fields: "id,title" });
  const { results, suggestions } = expectToolResult(answer);
  expect([results, suggestions.length]).toEqual([[], 4]);
  expect(await used()).toBe(before + 1);
  const named = await mcp.call("msgr_channels_retrieve", { channel: "Типичный програмист" });
  expect(named.body.result.content[0].text).toContain('"Типичный программист" is 5');
  expect(await used()).toBe(before + 1);
});

test("the catalog's page shows the nearest titles, in both languages", async () => {
  const { organizationId } = await appliance.customer();
  await addPerson(appliance, { organizationId, email: "olga@example.com", name: "Olga" });
  const visitor = await signedInVisitor(appliance, "olga@example.com");
  const { html } = await visitor.get(`/account/channels/?q=${encodeURIComponent("новасти")}`);
  expect(html).toContain("Nearest titles");
  expect(html).toContain('href="/account/channels/1/"');
  const nothing = await visitor.get("/account/channels/?q=qwxzvk");
  expect(nothing.html).not.toContain("Nearest titles");
});
