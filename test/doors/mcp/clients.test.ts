import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  spyOn,
  test,
} from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importFile } from "../../../src/catalog/imports/import-file.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { methodNamed, requestOf, toolCalls, VALUES } from "../../support/contract.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import { clientKinds, type McpClient, refusalOf, textOf } from "../../support/mcp-clients.ts";
import { expectAsOverRest, TOOL_NAMES } from "../../support/mcp-requests.ts";

/** The official clients against a real listener over the sample data. */

type CallOverBoth = [tool: string, args: Record<string, unknown> | undefined, path: string];

/** Calls with filters, and the same requests over REST. */
const FILTERED: CallOverBoth[] = [
  ["me_retrieve", undefined, "/v1/me/"],
  ["msgr_channels_resolve_retrieve", { q: "@nsmag" }, "/v1/msgr/channels/resolve/?q=@nsmag"],
  [
    "msgr_channels_list",
    { category: "news", subscribers_min: 100_000, verified: true, ordering: "-quality", limit: 2 },
    "/v1/msgr/channels/?category=news&subscribers_min=100000&verified=true&ordering=-quality&limit=2",
  ],
  ["msgr_channels_list", { ids: "3,1" }, "/v1/msgr/channels/?ids=3,1"],
  ["msgr_channels_retrieve", { channel: "nsmag" }, "/v1/msgr/channels/nsmag/"],
  // Without handle, link and citation, and every other nullable field that is empty in the sample.
  ["msgr_channels_retrieve", { channel: 2 }, "/v1/msgr/channels/2/"],
  ["msgr_stats_daily_list", { channels: "1,9" }, "/v1/msgr/stats/daily/?channels=1,9"],
  [
    "msgr_stats_daily_list",
    { channels: "1", from: "2024-11-01", to: "2024-11-03" },
    "/v1/msgr/stats/daily/?channels=1&from=2024-11-01&to=2024-11-03",
  ],
  [
    "msgr_channels_posts_retrieve",
    { channel: "goproglib", is_ad: false, from: "2024-10-01", to: "2024-11-30", limit: 3 },
    "/v1/msgr/channels/goproglib/posts/?is_ad=false&from=2024-10-01&to=2024-11-30&limit=3",
  ],
  ["msgr_posts_retrieve", { id: 1 }, "/v1/msgr/posts/1/"],
  [
    "msgr_channels_mentions_list",
    { channel: "goproglib", kind: "link", limit: 2 },
    "/v1/msgr/channels/goproglib/mentions/?kind=link&limit=2",
  ],
  ["msgr_territories_list", {}, "/v1/msgr/territories/?kind=region"],
  [
    "msgr_territories_list",
    { kind: "district", parent: "russia" },
    "/v1/msgr/territories/?kind=district&parent=russia",
  ],
  [
    "msgr_posts_search_list",
    { q: "новости -реклама", is_ad: false, limit: 3 },
    "/v1/msgr/posts/search/?q=новости+-реклама&is_ad=false&limit=3",
  ],
  [
    "msgr_channels_compare_list",
    { channels: "nsmag,2", from: "2024-11-01", to: "2024-11-30" },
    "/v1/msgr/channels/compare/?channels=nsmag,2&from=2024-11-01&to=2024-11-30",
  ],
  [
    "msgr_channels_stats_retrieve",
    { subscribers_min: 100 },
    "/v1/msgr/channels/stats/?subscribers_min=100&fields=channels,subscribers,categories",
  ],
];

/** Calls of every tool. */
const CALLS = [
  ...FILTERED,
  ...toolCalls(VALUES)
    .filter(([tool]) => FILTERED.every(([filtered]) => filtered !== tool))
    .map(([tool, args]): CallOverBoth => [tool, args, requestOf(methodNamed(tool), VALUES).path]),
];

const folder = mkdtempSync(join(tmpdir(), "kanalog-clients-"));
const sample = new URL("../../../data/sample/", import.meta.url).pathname;
let appliance: Appliance;
let address: string;
let key: string;

beforeAll(async () => {
  const ports = fakePorts("2024-12-05T12:00:00+03:00");
  const environment = { KANALOG_DB: join(folder, "clients.db"), KANALOG_PORT: "0" };
  appliance = await startAppliance(environment, ports);
  const { db } = appliance.app.domains;
  await importFile(db, ports.clock, "channels", `${sample}channels.ndjson`);
  await importFile(db, ports.clock, "posts", `${sample}posts.ndjson`);
  await importFile(db, ports.clock, "stats", `${sample}stats.csv`);
  address = `${appliance.app.listen()}/v1/mcp/`;
  key = (await appliance.customer()).key;
});

afterAll(async () => {
  await appliance.close();
  rmSync(folder, { recursive: true });
});

describe.each(clientKinds.map((kind) => [kind.name, kind] as const))("%s", (_name, kind) => {
  let client: McpClient;
  beforeEach(async () => {
    // The protocol's own messages are limited per second, and the clock stands still.
    appliance.ports.clock.advance(5_000);
    client = await kind.overHttp(address, key);
  });
  afterEach(() => client.close());

  test("agrees on the era and gets instructions", () => {
    expect(client.era()).toBe(kind.era);
    expect(client.instructions()).toContain("msgr_channels_resolve_retrieve");
  });

  test("lists the tools in the specification's order, described and with both schemas", async () => {
    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
    for (const { name, title, description, inputSchema, outputSchema } of tools) {
      expect(title, name).toBeString();
      expect(description, name).toMatch(/Free\.| 1 unit\./);
      expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(outputSchema, name).toMatchObject({ type: "object" });
    }
  });

  test("gets from each tool the same answer as over REST, valid by its output schema", async () => {
    // Clients get the schemas, by which they validate results, with the list.
    await client.tools();
    for (const [tool, args, path] of CALLS) {
      const result = await client.call(tool, args);
      const { body } = await appliance.get(path, key);
      if (tool === "msgr_stats_daily_list") expect(body.results.length).toBeGreaterThan(0);
      expectAsOverRest(result.structuredContent, body, `${tool} ${JSON.stringify(args)}`);
      expect(textOf(result)).toBe(JSON.stringify(result.structuredContent));
      expect(result.isError ?? false).toBe(false);
    }
  });

  test("pages through the catalog and through posts by the cursor inside next", async () => {
    await client.tools();
    const all = async (tool: string, args: Record<string, unknown>, pagesMax: number) => {
      const ids: number[] = [];
      let pages = 0;
      for (let cursor: string | null = ""; cursor !== null; ) {
        const { structuredContent } = await client.call(tool, {
          ...args,
          ...(cursor !== "" && { cursor }),
        });
        ids.push(...structuredContent.results.map(({ id }: { id: number }) => id));
        const { next }: { next: string | null } = structuredContent;
        cursor = next;
        pages += 1;
        expect(pages).toBeLessThanOrEqual(pagesMax);
      }
      return { ids, pages };
    };
    const catalog = await all("msgr_channels_list", { limit: 4 }, 3);
    expect(catalog.pages).toBe(3);
    expect(catalog.ids.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const { body } = await appliance.get("/v1/msgr/channels/?limit=100", key);
    expect(catalog.ids).toEqual(body.results.map(({ id }: { id: number }) => id));

    const posts = await all("msgr_channels_posts_retrieve", { channel: "8", limit: 20 }, 40);
    const lines = (await Bun.file(`${sample}posts.ndjson`).text()).trim().split("\n");
    const wanted = lines.map((line) => JSON.parse(line)).filter(({ channel }) => channel === 8);
    expect(posts.ids.toSorted()).toEqual(wanted.map(({ id }) => id).toSorted());
    expect(posts.pages).toBe(Math.ceil(wanted.length / 20));
  });

  test("gets a method's refusal as a result with a readable text, also in strict mode", async () => {
    await client.tools();
    const { key: testKey } = await appliance.customer({ plan: "test" });
    const onTest = await kind.overHttp(address, testKey);
    await onTest.tools();
    const faults = [
      [client, "msgr_channels_retrieve", { channel: "nobody" }, /^404 not_found: ./],
      [client, "msgr_channels_resolve_retrieve", { q: "@nobody" }, /^404 not_found: ./],
      [client, "msgr_channels_posts_retrieve", { channel: "99" }, /^404 not_found: ./],
      [client, "msgr_posts_retrieve", { id: 999_999 }, /^404 not_found: ./],
      [
        ...[client, "msgr_channels_list", { kind: "group" }],
        /^400 invalid: kind: "group" is not a valid choice\. Allowed: channel, chat\.$/,
      ],
      [
        ...[client, "msgr_territories_list", { kind: "village" }],
        /^400 invalid: kind: "village" is not a valid choice\. Allowed: .*\bdistrict\b.*\.$/,
      ],
      [client, "msgr_stats_daily_list", { channels: "one" }, /^400 invalid: channels: ./],
      [
        ...[client, "msgr_channels_list", { limit: 101, category: "nothing" }],
        /^400 invalid: (?=.*limit: Ensure this value is less than or equal to 100\.)/,
      ],
      [onTest, "msgr_channels_posts_retrieve", { channel: "8" }, /^403 tariff_required: ./],
      [onTest, "msgr_posts_retrieve", { id: 1 }, /^403 tariff_required: ./],
      [
        ...[onTest, "msgr_stats_daily_list", { channels: "1", from: "2024-11-01" }],
        /^403 tariff_required: ./,
      ],
    ] as [McpClient, string, Record<string, unknown>, RegExp][];
    for (const [by, tool, args, text] of faults) {
      const result = await by.call(tool, args);
      expect(result.isError, tool).toBe(true);
      expect(textOf(result)).toMatch(text);
      expect(result.structuredContent, tool).toBeUndefined();
    }
    await onTest.close();
  });

  test("gets a protocol error for an unknown tool, and what its era provides for wrong arguments", async () => {
    await client.tools();
    expect((await refusalOf(client.call("msgr_webhooks_list", {}))).code).toBe(-32602);
    for (const [tool, args] of [
      ["msgr_channels_list", { subscribers: 5 }],
      ["msgr_channels_resolve_retrieve", {}],
      ["msgr_channels_retrieve", { channel: "nsmag/posts" }],
    ] as const) {
      if (kind.era === "modern") {
        const result = await client.call(tool, args);
        expect([result.isError, textOf(result)]).toEqual([
          true,
          expect.stringMatching(/^400 invalid: ./),
        ]);
      } else {
        const { code, message } = await refusalOf(client.call(tool, args));
        expect(code, `${tool}: ${message}`).toBe(-32602);
      }
    }
  });

  test("is refused with a 401 if its key is wrong", async () => {
    const { code, status, message } = await refusalOf(kind.overHttp(address, `${key}x`));
    expect([code, status, /\b401\b/.exec(message)?.[0]].map(String)).toContain("401");
  });

  test("prints no warnings and reports no errors", async () => {
    const printed: unknown[][] = [];
    const spies = (["debug", "log", "info", "warn", "error"] as const).map((level) =>
      spyOn(console, level).mockImplementation((...words) => void printed.push(words)),
    );
    const warned = (warning: Error) => printed.push([warning]);
    process.on("warning", warned);
    try {
      const observed = await kind.overHttp(address, key);
      await observed.tools();
      for (const [tool, args] of CALLS) await observed.call(tool, args);
      await observed.call("msgr_channels_retrieve", { channel: "nobody" });
      await observed.close();
      expect(observed.complaints).toEqual([]);
    } finally {
      process.off("warning", warned);
      for (const spy of spies) spy.mockRestore();
    }
    expect(printed).toEqual([]);
  });

  test("makes 100 calls at once and gets the right answer to each", async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        client.call("msgr_channels_retrieve", { channel: String((index % 9) + 1) }),
      ),
    );
    expect(answers.map(({ structuredContent }) => structuredContent.id)).toEqual(
      Array.from({ length: 100 }, (_, index) => (index % 9) + 1),
    );
  });
});
