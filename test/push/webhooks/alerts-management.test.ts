import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { finishPostSearch } from "../../../src/catalog/post-search/catch-up.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { statement } from "../../../src/db/database.ts";
import type { Appliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import { channel, imported } from "../../support/expectations.ts";
import {
  created,
  endManaging,
  expectRefused,
  type Managing,
  startManaging,
  UNKNOWN_ID,
} from "../../support/webhook-calls.ts";

let appliance: Appliance;
let managing: Managing;
let webhook: number;
beforeEach(async () => {
  managing = await startManaging();
  ({ appliance } = managing);
  webhook = (await created(managing.call)).id;
});
afterEach(() => endManaging(appliance));

const DAY_MS = 24 * 60 * 60 * 1000;

function call(verb: string, path = "", body?: unknown, key = managing.customer.key) {
  return appliance.request(`/v1/msgr/alerts/${path}`, {
    ...{ method: verb, key },
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  });
}

async function made(fields: object = {}): Promise<number> {
  const { status, body } = await call("POST", "", { name: "A", q: "слово", webhook, ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}

test("an alert is created, shown, listed, changed and deleted, and each change is in the audit log", async () => {
  const fields = { name: " Rates ", q: " ставка -вклад ", webhook, channel: "@channel_2" };
  await imported(appliance, "channels", [channel(2, { handle: "channel_2" })]);
  const answer = await call("POST", "", { ...fields, category: "science", territory: "russia" });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    ...{ id: 1, name: "Rates", q: "ставка -вклад", webhook, channel: 2, category: "science" },
    ...{
      territory: "russia",
      is_ad: null,
      digest: "each",
      is_active: true,
      disabled_reason: "",
      sent_today: 0,
    },
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect((await call("GET", "1/")).body).toEqual(answer.body);
  expect((await call("GET")).body).toEqual({ results: [answer.body], next: null });
  appliance.ports.clock.advance(DAY_MS);
  const changed = await call("PATCH", "1/", { q: "курс", channel: null, is_ad: false });
  expect(changed.body).toMatchObject({ q: "курс", channel: null, is_ad: false, name: "Rates" });
  const { created_at: createdAt, updated_at: updatedAt } = changed.body;
  expect(createdAt).toBe(answer.body.created_at);
  expect(Date.parse(updatedAt) - Date.parse(createdAt)).toBe(DAY_MS);
  appliance.ports.clock.advance(DAY_MS);
  expect((await call("PATCH", "1/", { q: "курс" })).body.updated_at).toBe(updatedAt);
  expect((await call("DELETE", "1/")).status).toBe(204);
  expectRefused(await call("GET", "1/"), 404, "not_found", "after it was deleted");
  const recorded = auditOf(appliance).filter(({ action }) => action.startsWith("alert."));
  expect(recorded).toMatchObject([
    { action: "alert.create", target: "alert 1", details: { name: "Rates", webhook } },
    { action: "alert.change", target: "alert 1", person: "ada@example.com" },
    { action: "alert.delete", target: "alert 1" },
  ]);
});

test("each page of the list continues the one before", async () => {
  const ids = [await made(), await made(), await made()];
  const first = await call("GET", "?limit=2");
  const next = new URL(first.body.next).search;
  const second = await call("GET", next);
  const both = [...first.body.results, ...second.body.results];
  expect(both.map(({ id }: { id: number }) => id)).toEqual(ids);
  expect(second.body.next).toBeNull();
});

describe("a fault is reported under its field, and nothing is changed:", () => {
  const cases: [field: string, given: unknown, detail: string][] = [
    ["name", "  ", "may not be blank"],
    ["name", "x".repeat(101), "no more than 100"],
    ["name", "a\nb", "Control characters"],
    ["name", ["a"], "Not a valid string"],
    ["name", null, "may not be null"],
    ["q", "а", "at least 2"],
    ["q", "х".repeat(201), "no more than 200"],
    ["q", "-слово -другое", "at least one word"],
    ["q", '""', "at least one word"],
    ["q", "-- **", "at least one word"],
    ["q", "слово\0", "Null characters"],
    ["webhook", "first", "integer"],
    ["channel", "no_such_channel", "no such public channel"],
    ["channel", 999, "no such public channel"],
    ["category", "no-such", "slug=no-such"],
    ["territory", "no-such", "slug=no-such"],
    ["is_ad", "perhaps", "boolean"],
    ["digest", "weekly", "not a valid choice"],
    ["digest", null, "may not be null"],
    ["digest", ["each"], "Not a valid"],
    ["word", "x", "no such field"],
  ];
  for (const [field, value, detail] of cases) {
    test(`${field} ${JSON.stringify(value)?.slice(0, 30)}`, async () => {
      const id = await made();
      const before = (await call("GET", `${id}/`)).body;
      const whole = { name: "A", q: "слово", webhook, [field]: value };
      for (const answer of [
        await call("POST", "", whole),
        await call("PATCH", `${id}/`, { [field]: value }),
      ]) {
        expect(answer.status).toBe(400);
        expect(Object.keys(answer.body)).toEqual([field]);
        expect(answer.body[field][0]).toContain(detail);
      }
      expect((await call("GET")).body.results).toEqual([before]);
    });
  }

  test("missing fields, and several faults at once", async () => {
    const { status, body } = await call("POST", "", {});
    expect([status, Object.keys(body).toSorted()]).toEqual([400, ["name", "q", "webhook"]]);
    const wrong = { name: "A", q: "слово", webhook, channel: 999, category: "no", territory: "no" };
    expect(Object.keys((await call("POST", "", wrong)).body).toSorted()).toEqual(
      ["channel", "category", "territory"].toSorted(),
    );
    const nothing = await call("PATCH", `${await made()}/`, {});
    expect(nothing.body.non_field_errors).toEqual(["Give at least one field to change."]);
  });

  test("another organization's webhook is not found, just like one that does not exist", async () => {
    const id = await made();
    const other = await appliance.customer({ access: "read_write" });
    const body = { name: "A", q: "слово", webhook };
    const others = await call("POST", "", body, other.key);
    expectRefused(others, 404, "not_found", "another's");
    expect(others.body.detail).toBe("webhook: The webhook was not found.");
    const nobodys = await call("POST", "", { ...body, webhook: UNKNOWN_ID });
    expect([nobodys.status, nobodys.body]).toEqual([404, others.body]);
    const changed = await call("PATCH", `${id}/`, { webhook: UNKNOWN_ID });
    expectRefused(changed, 404, "not_found", "");
    // The message names the field, because the alert in the address does exist.
    expect(changed.body.detail).toBe("webhook: The webhook was not found.");
  });
});

test("the plan limits the number of alerts; existing ones remain when it includes fewer", async () => {
  const { accounts } = appliance.app.domains;
  await accounts.changePlan("profi", { alerts: 2 }, COMMAND_LINE);
  const ids = [await made(), await made()];
  const full = await call("POST", "", { name: "A", q: "слово", webhook });
  expectRefused(full, 403, "tariff_required", "a third");
  expect(full.body.detail).toBe("The plan profi includes 2 alerts; there are 2.");
  await accounts.changePlan("profi", { alerts: 1 }, COMMAND_LINE);
  expect((await call("PATCH", `${ids[0]}/`, { q: "курс" })).status).toBe(200);
  await accounts.changePlan("profi", { alerts: 0 }, COMMAND_LINE);
  expect((await call("GET", `${ids[0]}/`)).status).toBe(200);
  expectRefused(await call("POST", `${ids[0]}/preview/`), 403, "tariff_required", "a preview");
  expect((await call("DELETE", `${ids[0]}/`)).status).toBe(204);
});

describe("the preview", () => {
  const at = (daysAgo: number) =>
    new Date(appliance.ports.clock.now() - daysAgo * DAY_MS).toISOString();
  const preview = async (id: number) => {
    const { status, body, headers } = await call("POST", `${id}/preview/`);
    expect(status).toBe(200);
    expect(headers.get("x-request-cost")).toBe("1");
    return body;
  };

  test("counts the matches of 7 days, and shows the 10 newest with their highlights", async () => {
    const id = await made();
    const posts = Array.from({ length: 14 }, (_, n) => ({
      ...{ id: n + 1, channel: 1, published_at: at(n / 2 + 0.01) },
      text: `${"Очень длинное начало. ".repeat(10)}\nТут 🚀 слова и СЛОВО, дальше ${"конец ".repeat(60)}`,
    }));
    await imported(appliance, "posts", posts);
    await imported(appliance, "posts", [
      { id: 50, channel: 1, published_at: at(8), text: "слово" },
      { id: 51, channel: 1, published_at: at(1), text: "другое" },
    ]);
    const { matches, matches_capped: isCapped, results } = await preview(id);
    expect([matches, isCapped]).toEqual([14, false]);
    expect(results.map((post: { id: number }) => post.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const { snippet, highlights, text } = results[0];
    expect(text).toContain("\n");
    // Truncated between words, as in post search.
    expect([...snippet].length).toBeWithin(180, 201);
    const marked = highlights.map(([from, until]: [number, number]) =>
      [...snippet].slice(from, until).join(""),
    );
    expect(marked).toEqual(["слова", "СЛОВО"]);
  });

  test("applies the filters, and leaves out posts that were removed, edited away or are in a hidden channel", async () => {
    const post = (id: number, of: number) => ({
      ...{ id, channel: of, published_at: at(1), text: "Слово" },
    });
    await imported(appliance, "posts", [post(1, 1), post(2, 2), post(3, 3), post(4, 1)]);
    const id = await made();
    const ofOne = await made({ channel: 2 });
    expect((await preview(id)).matches).toBe(4);
    expect((await preview(ofOne)).results).toMatchObject([{ id: 2 }]);
    await appliance.importRows("posts", [{ id: 1, channel: 1, deleted: true }]);
    await imported(appliance, "posts", [{ ...post(4, 1), text: "Другое" }]);
    await imported(appliance, "channels", [{ id: 3, is_public: false }]);
    expect(await preview(id)).toMatchObject({ matches: 1, results: [{ id: 2 }] });
    await imported(appliance, "channels", [{ id: 2, is_public: false }]);
    expect(await preview(ofOne)).toMatchObject({ matches: 0, results: [] });
  });

  test("includes a post that its messenger's clock dates a little ahead, as is sent", async () => {
    const id = await made();
    await imported(appliance, "posts", [
      { id: 1, channel: 1, published_at: at(-0.001), text: "Слово" },
    ]);
    expect(await preview(id)).toMatchObject({ matches: 1, results: [{ id: 1 }] });
  });

  const withoutIndex = () =>
    finishPostSearch(appliance.app.domains.db, appliance.ports.clock, false);

  test("finds matches however many posts were read since; without the index it says what it examined", async () => {
    const posts = Array.from({ length: 5_002 }, (_, n) => ({
      ...{ id: n + 1, channel: 1, published_at: at(1), text: n === 0 ? "Редкое" : "Слово" },
    }));
    await imported(appliance, "posts", posts);
    const rare = await made({ q: "редкое" });
    const frequent = await made();
    expect(await preview(rare)).toMatchObject({
      ...{ matches: 1, matches_capped: false, note: null, results: [{ id: 1 }] },
    });
    const many = await preview(frequent);
    expect([many.matches, many.matches_capped, many.results.length]).toEqual([5_000, true, 10]);
    expect(many.note).toBe("Of the posts that may match, only the newest 5000 were examined.");
    await withoutIndex();
    const note =
      "Only 5000 recent posts were examined, because post search is off or its index is being built.";
    expect(await preview(rare)).toEqual({ matches: 0, matches_capped: true, note, results: [] });
    expect(await preview(frequent)).toMatchObject({ matches: 5_000, matches_capped: true, note });
  });

  test("finds the same with each filter and kind of word, with the index and without", async () => {
    await imported(appliance, "channels", [
      channel(1, { category: "science", territory: "kazan" }),
      channel(2, { category: "news", categories: "science" }),
    ]);
    const texts = ["Слово", "слова новые", "словарь", "Словом, нет", "#слово"];
    const posts = Array.from({ length: 60 }, (_, n) => ({
      ...{ id: n + 1, channel: 1 + (n % 3), is_ad: n % 2 === 0, text: texts[n % 5] },
      published_at: at(n / 8),
    }));
    await imported(appliance, "posts", posts);
    const ids: number[] = [];
    for (const q of ["слово -нет", "слов*", "=слова | #слово", '"слово новое"']) {
      for (const filter of [
        {},
        { channel: 2 },
        { category: "science" },
        { territory: "russia" },
        { is_ad: true },
        { is_ad: false, category: "news" },
      ])
        ids.push(await made({ q, ...filter }));
    }
    // A channel whose posts' facets in the index are not up to date yet.
    await imported(appliance, "channels", [channel(3, { category: "science" })]);
    const found = await Promise.all(ids.map(preview));
    expect(new Set(found.map(({ matches }) => matches)).size).toBeGreaterThan(5);
    await withoutIndex();
    expect(await Promise.all(ids.map(preview))).toEqual(found);
  });

  test("says that matches may be missing while the index follows many channels that changed", async () => {
    const ids = Array.from({ length: 51 }, (_, n) => n + 1);
    await imported(
      appliance,
      "channels",
      ids.map((id) => channel(id)),
    );
    const posts = ids.map((id) => ({ id, channel: id, published_at: at(1), text: "Слово" }));
    await imported(appliance, "posts", posts);
    const [all, ofCategory, ofTerritory] = [
      await made(),
      await made({ category: "science" }),
      await made({ territory: "russia" }),
    ];
    await imported(
      appliance,
      "channels",
      ids.map((id) => ({ id, category: "science", territory: "kazan" })),
    );
    for (const filtered of [ofCategory, ofTerritory]) {
      const { matches, matches_capped: isCapped, note } = await preview(filtered);
      expect([matches, isCapped]).toEqual([50, true]);
      expect(note).toStartWith("Many channels have just changed:");
    }
    expect(await preview(all)).toMatchObject({ matches: 51, matches_capped: false, note: null });
    await finishPostSearch(appliance.app.domains.db, appliance.ports.clock, true);
    expect(await preview(ofCategory)).toMatchObject({ matches: 51, note: null });
  });

  test("of an alert whose category is gone finds nothing, and gives no other reason", async () => {
    await imported(appliance, "categories", [{ slug: "passing", name: "Passing" }]);
    await imported(appliance, "posts", [{ id: 1, channel: 1, published_at: at(1), text: "Слово" }]);
    const id = await made({ category: "passing" });
    const { db } = appliance.app.domains;
    statement(db, "DELETE FROM categories WHERE slug = 'passing'").run();
    const nothing = { matches: 0, matches_capped: false, note: null, results: [] };
    expect(await preview(id)).toEqual(nothing);
    await withoutIndex();
    expect(await preview(id)).toEqual(nothing);
  });

  test("says that matches may be missing while the index is being renewed", async () => {
    await imported(appliance, "posts", [{ id: 1, channel: 1, published_at: at(1), text: "Слово" }]);
    const { db } = appliance.app.domains;
    statement(db, "UPDATE post_search_parts SET dictionary = 'stems'").run();
    expect(await preview(await made())).toMatchObject({
      ...{ matches: 1, matches_capped: true },
      note: expect.stringContaining("is being renewed"),
    });
  });
});
