import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { importText } from "../../support/import-text.ts";

interface Node {
  slug: string;
  path: string;
  kind: string;
  parent: string | null;
}

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await appliance.importRows("territories", TREE, true);
});
afterEach(() => appliance.close());

const TREE = [
  { slug: "ru", name: "Россия", kind: "country" },
  { slug: "west", name: "Запад", kind: "district", parent: "ru" },
  { slug: "east", name: "Восток", kind: "district", parent: "ru" },
  { slug: "lake", name: "Озёрная область", kind: "region", parent: "west" },
  { slug: "town", name: "Город", kind: "city", parent: "lake" },
];

const nodes = async (): Promise<Node[]> =>
  (await appliance.get("/v1/msgr/territories/")).body.results;
const paths = async (): Promise<string[]> => (await nodes()).map(({ path }) => path);
const channelsIn = async (territory: string): Promise<number[]> =>
  (await appliance.get(`/v1/msgr/channels/?territory=${territory}`)).body.results.map(
    ({ id }: { id: number }) => id,
  );

test("the tree is ordered parents first, and siblings as in the file", async () => {
  expect(await paths()).toEqual(["ru", "ru/west", "ru/west/lake", "ru/west/lake/town", "ru/east"]);
  const turned = ["ru", "east", "west", "lake", "town"].map((slug) => ({ slug }));
  expect((await appliance.importRows("territories", turned)).unchanged).toBe(5);
  expect(await paths()).toEqual(["ru", "ru/east", "ru/west", "ru/west/lake", "ru/west/lake/town"]);
});

test("importing the same rows again leaves all unchanged", async () => {
  expect(await appliance.importRows("territories", TREE, true)).toMatchObject({
    ...{ read: 5, inserted: 0, updated: 0, unchanged: 5, rejected: 0, removed: 0 },
  });
});

test("a node that precedes its parent or lacks a required column is rejected", async () => {
  const { rejects, inserted } = await appliance.importRows("territories", [
    { slug: "b", name: "B", kind: "region", parent: "a" },
    { slug: "a", name: "A", kind: "district", parent: "ru" },
    { slug: "c", name: "C", parent: "ru" },
    { slug: "d", kind: "city", parent: "ru" },
    { name: "E", kind: "city", parent: "ru" },
    { slug: "f", name: "F", kind: "planet", parent: "ru" },
  ]);
  expect(inserted).toBe(1);
  expect(rejects.map(({ line, column }) => [line, column])).toEqual([
    [1, "parent"],
    [3, "kind"],
    [4, "name"],
    [5, "slug"],
    [6, "kind"],
  ]);
  expect(rejects[0]?.reason).toBe("Object with slug=a does not exist.");
});

test("a node must be of a lower level than its parent: country, district, region, city", async () => {
  const { rejects } = await appliance.importRows("territories", [
    { slug: "a", name: "A", kind: "country", parent: "ru" },
    { slug: "b", name: "B", kind: "district", parent: "west" },
    { slug: "c", name: "C", kind: "district", parent: "lake" },
    { slug: "d", name: "D", kind: "region", parent: "town" },
    { slug: "e", name: "E", kind: "region" },
    { slug: "ru", parent: "east" },
    { slug: "west", parent: "lake" },
    { slug: "lake", kind: "city" },
    { slug: "west", parent: "west" },
    { slug: "west", parent: null },
  ]);
  expect(rejects).toHaveLength(10);
  expect(await paths()).toHaveLength(5);
  // Levels may be skipped: a city under a district, a region under a country.
  const summary = await appliance.importRows("territories", [
    { slug: "f", name: "F", kind: "city", parent: "east" },
    { slug: "g", name: "G", kind: "region", parent: "ru" },
  ]);
  expect(summary.inserted).toBe(2);
});

test("a moved node takes its branch along, and filters by territory follow", async () => {
  await appliance.importRows("channels", [
    { id: 1, title: "В городе", subscribers: 3, territory: "town" },
    { id: 2, title: "В области", subscribers: 2, territory: "lake" },
    { id: 3, title: "На западе", subscribers: 1, territory: "west" },
    { id: 4, title: "Скрытый", subscribers: 1, territory: "town", is_public: false },
  ]);
  expect(await channelsIn("west")).toEqual([1, 2, 3]);
  expect(await channelsIn("east")).toEqual([]);

  const summary = await appliance.importRows("territories", [{ slug: "lake", parent: "east" }]);
  expect(summary).toMatchObject({ updated: 1 });
  expect(await paths()).toContain("ru/east/lake/town");
  expect(await channelsIn("west")).toEqual([3]);
  expect(await channelsIn("east")).toEqual([1, 2]);
  expect(await channelsIn("lake")).toEqual([1, 2]);
  expect(await channelsIn("ru")).toEqual([1, 2, 3]);
  await appliance.importRows("channels", [{ id: 4, is_public: true }]);
  expect(await channelsIn("east")).toEqual([1, 2, 4]);
});

test("a node moved again by an import that is killed is found in its place after the next night", async () => {
  // More than one transaction of them.
  const town = Array.from({ length: 120 }, (_, at) => at + 1);
  await appliance.importRows(
    "channels",
    town.map((id) => ({ id, title: `Канал ${id}`, subscribers: 1, territory: "town" })),
  );
  await appliance.importRows("territories", [
    { slug: "north", name: "Север", kind: "district", parent: "ru" },
  ]);
  const { clock } = appliance.ports;
  const { db } = appliance.app.domains;
  const { sleep } = clock;
  let isKilled = false;
  // Between two transactions of the first import's refresh.
  clock.sleep = async () => {
    if (isKilled || db.prepare("SELECT 1 FROM territories WHERE is_moved").get() === undefined)
      return;
    isKilled = true;
    db.exec(`
      UPDATE territories SET parent = 'north' WHERE slug = 'lake';
      UPDATE territories SET path = replace(path, 'ru/east/', 'ru/north/'), is_moved = 1
      WHERE slug IN ('lake', 'town')`);
  };
  await appliance.importRows("territories", [{ slug: "lake", parent: "east" }]);
  expect(isKilled).toBe(true);
  clock.sleep = sleep;
  await appliance.app.scheduler.runDue();
  clock.set("2026-11-21T03:30:05+03:00");
  await appliance.app.scheduler.runDue();
  expect(await channelsIn("east")).toEqual([]);
  const { body } = await appliance.get("/v1/msgr/channels/?territory=north&limit=100");
  expect(body.results).toHaveLength(100);
});

test("a moved branch counts towards its new ancestors after a recount", async () => {
  await appliance.importRows("channels", [
    { id: 1, title: "В городе", subscribers: 3, territory: "town" },
  ]);
  await appliance.importRows("territories", [{ slug: "lake", parent: "east" }]);
  // The nightly recount: first seen at noon, due the following night.
  await appliance.app.scheduler.runDue();
  appliance.ports.clock.set("2026-11-21T03:00:05+03:00");
  await appliance.app.scheduler.runDue();
  const { results } = (await appliance.get("/v1/msgr/territories/")).body;
  const counted = Object.fromEntries(
    results.map(({ slug, channels }: { slug: string; channels: number }) => [slug, channels]),
  );
  expect(counted).toEqual({ ru: 1, west: 0, east: 1, lake: 1, town: 1 });
});

test("--replace removes nodes that the file does not name, but none above a channel", async () => {
  await appliance.importRows("channels", [
    { id: 1, title: "A", subscribers: 1, territory: "lake" },
  ]);
  const summary = await appliance.importRows(
    "territories",
    [{ slug: "by", name: "Беларусь", kind: "country" }],
    true,
  );
  expect(summary).toMatchObject({ inserted: 1, removed: 2 });
  expect((await paths()).toSorted()).toEqual(["by", "ru", "ru/west", "ru/west/lake"]);
  expect(summary.notes.toSorted()).toEqual([
    "lake stays, because it contains channels.",
    "ru stays, because it contains other territories.",
    "west stays, because it contains other territories.",
  ]);
});

test("--replace removes nothing if a row is rejected", async () => {
  const rows = "slug,name,kind,parent\nru,Россия,country,\nwest,Запад,distrikt,ru\n";
  const summary = await importText(appliance, "territories", rows, { replace: true });
  expect(summary.rejects).toMatchObject([{ line: 3, column: "kind" }]);
  expect((await paths()).toSorted()).toEqual([
    "ru",
    "ru/east",
    "ru/west",
    "ru/west/lake",
    "ru/west/lake/town",
  ]);
});

test("an empty cell leaves the parent, and null clears it", async () => {
  const cells = "slug,name,kind,parent\nlake,,,\n";
  expect((await importText(appliance, "territories", cells)).unchanged).toBe(1);
  await appliance.importRows("territories", [
    { slug: "east", kind: "country", parent: null, name: null },
  ]);
  expect((await nodes()).find(({ slug }) => slug === "east")).toMatchObject({
    ...{ kind: "country", parent: null, path: "east" },
  });
});
