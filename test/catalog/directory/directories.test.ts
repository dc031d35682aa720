import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { recount } from "../../../src/catalog/directory/recount.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, expectFaults, expectOk, imported } from "../../support/expectations.ts";

const CATEGORIES = "/v1/msgr/categories/";
const TERRITORIES = "/v1/msgr/territories/";

interface Territory {
  id: number;
  slug: string;
  name: string;
  kind: string;
  parent: string | null;
  path: string;
  channels: number;
}

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

async function categories(): Promise<{ slug: string; channels: number }[]> {
  return (await expectOk(appliance, CATEGORIES)).body.results;
}

async function territories(query = ""): Promise<Territory[]> {
  return (await expectOk(appliance, TERRITORIES + query)).body.results;
}

const slugs = (list: { slug: string }[]): string[] => list.map(({ slug }) => slug);

describe("categories", () => {
  test("have exactly the contract's fields, in the order of their file", async () => {
    await appliance.importRows(
      "categories",
      [
        { id: 1009, slug: "zebra", name: "Зебры", image: "https://img.example.com/z.webp" },
        { id: 1003, slug: "apple", name: "Яблоки" },
        { id: 1005, slug: "mango", name: "Манго" },
      ],
      true,
    );
    const answer = await expectOk(appliance, CATEGORIES);
    expect(answer.body).toEqual({
      results: [
        {
          id: 1009,
          slug: "zebra",
          name: "Зебры",
          channels: 0,
          image: "https://img.example.com/z.webp",
        },
        { id: 1003, slug: "apple", name: "Яблоки", channels: 0, image: null },
        { id: 1005, slug: "mango", name: "Манго", channels: 0, image: null },
      ],
    });
    await imported(appliance, "categories", [
      { slug: "mango" },
      { slug: "zebra" },
      { slug: "apple" },
    ]);
    expect(slugs(await categories())).toEqual(["mango", "zebra", "apple"]);
  });

  test("are all in one answer, whatever the query", async () => {
    const all = await categories();
    expect(all.length).toBeGreaterThan(40);
    const answer = await expectOk(appliance, `${CATEGORIES}?limit=1&kind=x&q=%FF`);
    expect(answer.body).toEqual({ results: all });
  });
});

/** Two countries, whose children come in a different order, with some levels missing. */
const TREE = [
  { slug: "utopia", name: "Утопия", kind: "country" },
  { slug: "oz", name: "Оз", kind: "country" },
  { slug: "oz-west", name: "Запад", kind: "district", parent: "oz" },
  { slug: "ut-north", name: "Север", kind: "district", parent: "utopia" },
  { slug: "winkie", name: "Винки", kind: "region", parent: "oz-west" },
  { slug: "ut-shore", name: "Берег", kind: "region", parent: "ut-north" },
  { slug: "amaurot", name: "Амаурот", kind: "city", parent: "ut-shore" },
  { slug: "ut-hills", name: "Холмы", kind: "region", parent: "ut-north" },
  { slug: "emerald", name: "Изумрудный город", kind: "city", parent: "winkie" },
];

describe("territories", () => {
  test("are in tree order: parents first, each with its path from the country down", async () => {
    await appliance.importRows("territories", TREE, true);
    const list = await territories();
    expect(list.map(({ path }) => path)).toEqual([
      "utopia",
      "utopia/ut-north",
      "utopia/ut-north/ut-shore",
      "utopia/ut-north/ut-shore/amaurot",
      "utopia/ut-north/ut-hills",
      "oz",
      "oz/oz-west",
      "oz/oz-west/winkie",
      "oz/oz-west/winkie/emerald",
    ]);
    expect(list[3]).toEqual({
      id: expect.any(Number),
      slug: "amaurot",
      name: "Амаурот",
      kind: "city",
      parent: "ut-shore",
      path: "utopia/ut-north/ut-shore/amaurot",
      channels: 0,
    });
    expect(list[0]?.parent).toBeNull();
  });

  test("that are shipped are in tree order too", async () => {
    const list = await territories();
    expect(list.length).toBeGreaterThan(1000);
    const paths = new Map<string, string>();
    const levels = ["country", "district", "region", "city"];
    const kinds = new Map<string, number>();
    for (const { slug, parent, path, kind } of list) {
      const above = parent === null ? "" : `${paths.get(parent)}/`;
      expect(path, slug).toBe(above + slug);
      expect(kinds.get(parent ?? "") ?? -1, slug).toBeLessThan(levels.indexOf(kind));
      expect(parent === null, slug).toBe(kind === "country");
      if (kind === "city") expect(path, slug).toStartWith("russia/");
      paths.set(slug, path);
      kinds.set(slug, levels.indexOf(kind));
    }
    expect(paths.size).toBe(list.length);
  });

  test("can be filtered by level, by parent, or both", async () => {
    await appliance.importRows("territories", TREE, true);
    expect(slugs(await territories("?kind=country"))).toEqual(["utopia", "oz"]);
    expect(slugs(await territories("?kind=region"))).toEqual(["ut-shore", "ut-hills", "winkie"]);
    expect(slugs(await territories("?parent=utopia"))).toEqual(["ut-north"]);
    expect(slugs(await territories("?parent=ut-north"))).toEqual(["ut-shore", "ut-hills"]);
    expect(slugs(await territories("?parent=emerald"))).toEqual([]);
    expect(slugs(await territories("?parent=winkie&kind=city"))).toEqual(["emerald"]);
    expect(slugs(await territories("?parent=oz&kind=city"))).toEqual([]);
    expect(slugs(await territories("?parent=&kind="))).toHaveLength(TREE.length);
    // If a parameter has two values, the last one counts.
    expect(slugs(await territories("?kind=city&kind=country"))).toEqual(["utopia", "oz"]);
  });

  test("of an unknown parent or level are answered with 400", async () => {
    await expectFaults(appliance, `${TERRITORIES}?parent=atlantis`, {
      parent: "Object with slug=atlantis does not exist.",
    });
    await expectFaults(appliance, `${TERRITORIES}?kind=planet`, {
      kind: '"planet" is not a valid choice.',
    });
    await expectFaults(appliance, `${TERRITORIES}?kind=City`, {
      kind: '"City" is not a valid choice.',
    });
    for (const name of ["kind", "parent"]) {
      for (const wrong of ["%FF", "%00"]) {
        const answer = await appliance.get(`${TERRITORIES}?${name}=${wrong}`);
        expect(answer.status).toBe(400);
        expect(Object.keys(answer.body)).toEqual([name]);
      }
    }
  });
});

describe("counts of channels", () => {
  const countOf = (list: { slug: string; channels: number }[], slug: string): number | undefined =>
    list.find((entry) => entry.slug === slug)?.channels;

  /** Returns a function that finds the count after the latest import. */
  async function counted(): Promise<(slug: string) => number | undefined> {
    const all = [...(await categories()), ...(await territories())];
    return (slug) => countOf(all, slug);
  }

  test("of a category include public channels and chats, by primary or additional category", async () => {
    await imported(appliance, "channels", [
      channel(1, { category: "science" }),
      channel(2, { category: "science", kind: "chat" }),
      channel(3, { category: "news", categories: ["science", "humor"] }),
      channel(4, { categories: ["humor"] }),
      channel(5, { category: "science", is_public: false }),
      // Listed twice, counted once.
      channel(6, { category: "law", categories: ["law"] }),
      channel(7),
    ]);
    const count = await counted();
    expect(count("science")).toBe(3);
    expect(count("news")).toBe(1);
    expect(count("humor")).toBe(2);
    expect(count("law")).toBe(1);
    expect(count("art")).toBe(0);
  });

  test("of a territory include its own channels and those of all territories below it", async () => {
    await imported(appliance, "channels", [
      channel(1, { territory: "kazan" }),
      channel(2, { territory: "kazan", kind: "chat" }),
      channel(3, { territory: "tatarstan" }),
      channel(4, { territory: "privolzhskiy-fo" }),
      channel(5, { territory: "russia" }),
      channel(6, { territory: "moskva" }),
      channel(7, { territory: "kazan", is_public: false }),
      channel(8),
    ]);
    const count = await counted();
    expect(count("kazan")).toBe(2);
    expect(count("tatarstan")).toBe(3);
    expect(count("privolzhskiy-fo")).toBe(4);
    expect(count("russia")).toBe(6);
    expect(count("moskva")).toBe(1);
    expect(count("moskva-moskva")).toBe(0);
  });

  test("decrease when channels move or are hidden", async () => {
    await imported(appliance, "channels", [
      channel(1, { category: "science", territory: "kazan" }),
      channel(2, { category: "science", territory: "kazan" }),
    ]);
    expect((await counted())("science")).toBe(2);
    await imported(appliance, "channels", [
      { id: 1, is_public: false },
      { id: 2, category: "news", territory: "moskva" },
    ]);
    const count = await counted();
    expect([count("science"), count("news")]).toEqual([0, 1]);
    expect([count("kazan"), count("moskva"), count("russia")]).toEqual([0, 1, 1]);
    // A recount finds nothing to change.
    expect(await recount(appliance.app.domains.db, appliance.ports.clock)).toBe(0);
  });

  test("are kept when a directory is imported again", async () => {
    await imported(appliance, "channels", [channel(1, { category: "science" })]);
    await imported(appliance, "categories", [{ slug: "science", name: "Наука!" }]);
    expect(countOf(await categories(), "science")).toBe(1);
  });
});

test("requests for directories are free on every plan", async () => {
  for (const plan of ["test", "start", "growth", "profi"] as const) {
    const { key } = await appliance.customer({ plan });
    for (const path of [CATEGORIES, TERRITORIES]) {
      const answer = await appliance.get(path, key);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-request-cost")).toBe("0");
    }
    expect((await appliance.get("/v1/me/", key)).body.usage.used).toBe(0);
  }
});

describe("--replace keeps an entry whose row was rejected, because the file names it:", () => {
  test("categories", async () => {
    const rows = (await categories()).map(({ slug }) => ({ slug }));
    const broken = rows.map((row) => (row.slug === "science" ? { ...row, id: 999_999 } : row));
    const { rejects, removed } = await appliance.importRows("categories", broken, true);
    expect(rejects).toMatchObject([{ column: "id" }]);
    expect(removed).toBe(0);
    expect(slugs(await categories())).toContain("science");
  });

  test("territories", async () => {
    const rows = (await territories()).map(({ slug }) => ({ slug }));
    const broken = rows.map((row) => (row.slug === "kazan" ? { ...row, name: "" } : row));
    const { rejects, removed } = await appliance.importRows("territories", broken, true);
    expect(rejects).toMatchObject([{ column: "name" }]);
    expect(removed).toBe(0);
    expect(slugs(await territories())).toContain("kazan");
  });
});
