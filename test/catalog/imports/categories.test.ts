import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inLanguage } from "../../../src/values/messages/messages.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { importText } from "../../support/import-text.ts";
import { mcpRequests } from "../../support/mcp-requests.ts";
import { webp } from "../../support/webp.ts";

interface Entry {
  id: number;
  slug: string;
  name: string;
  channels: number;
  image: string | null;
}

let appliance: Appliance;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-images-"));
  appliance = await startAppliance();
  await appliance.importRows(
    "categories",
    [
      { slug: "news", name: "Новости" },
      { id: 500, slug: "painting", name: "Искусство", image: "https://example.com/painting.webp" },
      { slug: "sport", name: "Спорт" },
    ],
    true,
  );
});
afterEach(async () => {
  await appliance.close();
  rmSync(folder, { recursive: true });
});

const entries = async (): Promise<Entry[]> =>
  (await appliance.get("/v1/msgr/categories/")).body.results;
const slugs = async (): Promise<string[]> => (await entries()).map(({ slug }) => slug);
const image = async (slug: string) => (await entries()).find((entry) => entry.slug === slug)?.image;

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

test("with --replace the directory contains exactly the file's entries, in the file's order", async () => {
  expect(await entries()).toEqual([
    { id: expect.any(Number), slug: "news", name: "Новости", channels: 0, image: null },
    {
      id: 500,
      slug: "painting",
      name: "Искусство",
      channels: 0,
      image: "https://example.com/painting.webp",
    },
    { id: expect.any(Number), slug: "sport", name: "Спорт", channels: 0, image: null },
  ]);
});

test("a row is identified by its slug; columns that it does not give stay unchanged, and so does the id", async () => {
  const summary = await appliance.importRows("categories", [
    { slug: "painting", name: "Живопись" },
    { slug: "music", name: "Музыка" },
  ]);
  expect(summary).toMatchObject({ inserted: 1, updated: 1, rejected: 0 });
  expect((await entries()).find(({ slug }) => slug === "painting")).toMatchObject({
    id: 500,
    name: "Живопись",
    image: "https://example.com/painting.webp",
  });
  const { rejects } = await appliance.importRows("categories", [
    { id: 9, slug: "painting" },
    { id: 500, slug: "film", name: "Кино" },
    { slug: "games" },
    { name: "Без кода" },
    { slug: "Big Slug", name: "x" },
  ]);
  expect(rejects.map(({ line, column }) => [line, column])).toEqual([
    [1, "id"],
    [2, "id"],
    [3, "name"],
    [4, "slug"],
    [5, "slug"],
  ]);
  expect(await slugs()).toEqual(["news", "painting", "sport", "music"]);
});

test("importing the same rows again leaves all unchanged, including image files", async () => {
  writeFileSync(join(folder, "news.webp"), webp(500, 500));
  const rows = "id,slug,name,image\n,news,Новости,news.webp\n,painting,Искусство,\n,sport,Спорт,\n";
  const first = await importText(appliance, "categories", rows, { folder, replace: true });
  expect(first).toMatchObject({ updated: 1, unchanged: 2 });
  const again = await importText(appliance, "categories", rows, { folder, replace: true });
  expect(again).toMatchObject({ read: 3, unchanged: 3, removed: 0, rejected: 0 });
});

test("the directory takes over the file's order, and a file with one row moves nothing", async () => {
  await appliance.importRows("categories", [
    { slug: "sport" },
    { slug: "news" },
    { slug: "painting" },
  ]);
  expect(await slugs()).toEqual(["sport", "news", "painting"]);
  await appliance.importRows("categories", [{ slug: "painting", name: "x" }]);
  expect(await slugs()).toEqual(["sport", "news", "painting"]);
  await appliance.importRows("categories", [{ slug: "film", name: "Кино" }, { slug: "sport" }]);
  expect((await slugs()).toSorted()).toEqual(["film", "news", "painting", "sport"]);
});

test("--replace removes entries that the file does not name, unless a channel uses them", async () => {
  await appliance.importRows("channels", [
    { id: 1, title: "A", subscribers: 1, category: "painting", is_public: false },
  ]);
  const summary = await appliance.importRows("categories", [{ slug: "film", name: "Кино" }], true);
  expect(summary).toMatchObject({ inserted: 1, removed: 2 });
  expect(summary.notes).toEqual(["painting stays, because it contains channels."]);
  expect((await slugs()).toSorted()).toEqual(["film", "painting"]);
});

test("--replace also keeps a category that is only an additional one of a channel", async () => {
  await appliance.importRows("channels", [
    { id: 1, title: "A", subscribers: 1, category: "painting", categories: ["sport"] },
  ]);
  await appliance.importRows("categories", [{ slug: "news" }], true);
  expect((await slugs()).toSorted()).toEqual(["news", "painting", "sport"]);
});

test("with --replace a new row may have the id of an entry that is removed", async () => {
  const rows = [{ id: 500, slug: "film", name: "Кино" }];
  const summary = await appliance.importRows("categories", rows, true);
  expect(summary.rejects).toEqual([]);
  expect((await entries()).map(({ id, slug }) => [slug, id])).toEqual([["film", 500]]);
});

test("without --replace nothing is removed", async () => {
  const { removed } = await appliance.importRows("categories", [{ slug: "news" }]);
  expect(removed).toBeUndefined();
  expect(await slugs()).toEqual(["news", "painting", "sport"]);
});

test("--replace removes nothing if a row is rejected", async () => {
  const rows = "slug,name,image\nnews,Новости,\npainting,Искусство,missing.webp\n";
  const summary = await importText(appliance, "categories", rows, { folder, replace: true });
  expect(summary.rejects).toMatchObject([{ line: 3, column: "image" }]);
  expect(await slugs()).toEqual(["news", "painting", "sport"]);
});

test("the summary of a --replace that removes nothing counts each row once", async () => {
  const rows = "slug,name\nnews,News\nsport,Спорт\nnew,New\nbad,\n";
  const summary = await importText(appliance, "categories", rows, { replace: true });
  expect(summary).toMatchObject({ read: 4, inserted: 1, updated: 1, unchanged: 1, rejected: 1 });
  expect(summary.removed).toBe(0);
  expect(summary.groups).toMatchObject([{ column: "name", count: 1 }]);
});

test("--replace with a file without rows is refused, because it would remove all entries", async () => {
  const before = await slugs();
  const replacing = importText(appliance, "categories", "slug,name\n", { replace: true });
  await expect(replacing).rejects.toThrow("The file has no rows");
  expect(await slugs()).toEqual(before);
});

test("a WebP file of up to 500 pixels a side is served at its address", async () => {
  writeFileSync(join(folder, "news.webp"), webp(500, 500));
  const rows = "slug,image\nnews,news.webp\n";
  expect((await importText(appliance, "categories", rows, { folder })).rejects).toEqual([]);
  const address = (await image("news")) ?? "";
  const path = new URL(address).pathname;
  const response = await appliance.app.server.handle(new Request(`http://localhost${path}`));
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("image/webp");
  expect(Buffer.from(await response.arrayBuffer()).equals(webp(500, 500))).toBe(true);
});

test("an imported image is returned with the appliance's own address, over REST and MCP", async () => {
  const own = await startAppliance({ KANALOG_BASE_URL: "https://api.example.com/sub" });
  writeFileSync(join(folder, "news.webp"), webp(10, 10));
  await importText(own, "categories", "slug,name,image\nnews,Новости,news.webp\n", { folder });
  const { results } = (await own.get("/v1/msgr/categories/")).body as { results: Entry[] };
  const news = results.find(({ slug }) => slug === "news");
  expect(news?.image).toMatch(/^https:\/\/api\.example\.com\/sub\/images\/\w+\.webp$/);
  const { key } = await own.customer();
  const called = (await mcpRequests(own, key).call("msgr_categories_list")).body;
  expect(called.result.structuredContent.results).toEqual(results);
  await own.close();
});

test("an image that is too large, not WebP or missing is rejected, and the stored one stays", async () => {
  writeFileSync(join(folder, "wide.webp"), webp(501, 10));
  writeFileSync(join(folder, "high.webp"), webp(10, 501));
  writeFileSync(join(folder, "png.webp"), PNG);
  writeFileSync(join(folder, "text.webp"), "no image");
  writeFileSync(join(folder, "empty.webp"), "");
  writeFileSync(join(folder, "heavy.webp"), Buffer.concat([webp(10, 10), Buffer.alloc(2 ** 20)]));
  const names = ["wide", "high", "png", "text", "empty", "heavy", "missing"];
  const rows = `slug,image\n${names.map((name) => `painting,${name}.webp\n`).join("")}painting,https://\n`;
  const { rejects, updated } = await importText(appliance, "categories", rows, { folder });
  expect(updated).toBe(0);
  expect(rejects.map(({ line, column }) => [line, column])).toEqual(
    rejects.map((_, index) => [index + 2, "image"]),
  );
  expect(rejects).toHaveLength(names.length + 1);
  expect(await image("painting")).toBe("https://example.com/painting.webp");
});

test("an image within a cell, as exports write it, must meet the same rules as a file", async () => {
  const cell = (bytes: Uint8Array) =>
    `data:image/webp;base64,${Buffer.from(bytes).toString("base64")}`;
  const bad = [
    webp(501, 10),
    PNG,
    Buffer.alloc(0),
    Buffer.concat([webp(1, 1), Buffer.alloc(2 ** 20)]),
  ];
  const rows = bad.map((bytes) => `painting,"${cell(bytes)}"\n`).join("");
  const refused = await importText(appliance, "categories", `slug,image\n${rows}`);
  expect(refused.rejects.map(({ column }) => column)).toEqual(bad.map(() => "image"));
  expect(refused.rejects[0]?.reason).toBe(
    "The image has 501 x 10 pixels; each side may have at most 500.",
  );
  const faults = refused.groups.map(({ fault }) => inLanguage("ru", fault));
  expect(faults.filter((fault) => /The image|null/.test(fault))).toEqual([]);
  expect(await image("painting")).toBe("https://example.com/painting.webp");

  const csv = `slug,image\npainting,"${cell(webp(9, 9))}"\n`;
  expect((await importText(appliance, "categories", csv)).rejects).toEqual([]);
  const path = new URL((await image("painting")) ?? "").pathname;
  const response = await appliance.app.server.handle(new Request(`http://localhost${path}`));
  expect(webp(9, 9).equals(new Uint8Array(await response.arrayBuffer()))).toBe(true);
});

test("null clears an image, and an empty cell leaves it unchanged", async () => {
  await importText(appliance, "categories", "slug,image\npainting,\n");
  expect(await image("painting")).toBe("https://example.com/painting.webp");
  await appliance.importRows("categories", [{ slug: "painting", image: null, name: null }]);
  expect(await image("painting")).toBeNull();
});
