import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { importFile } from "../../../src/catalog/imports/import-file.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import {
  expectToolResult,
  type McpRequests,
  mcpRequests,
  TOOL_NAMES,
} from "../../support/mcp-requests.ts";

/** Compares the sizes stated in descriptions with those of actual answers. */

const ROOT = new URL("../../..", import.meta.url).pathname;
/** Largest answer that all clients accept. */
const CHARACTERS_MAX = 50_000;
/** How far the ratio of measured to stated size may be from 1. */
const TOLERANCE = 0.1;

interface DataSet {
  name: string;
  folder: string;
  channels: string;
  posts: string;
  stats: string;
  /** Last day of its statistics. */
  until: string;
}

const DATA_SETS: DataSet[] = [
  {
    name: "the sample",
    folder: `${ROOT}data/sample/`,
    ...{ channels: "channels.ndjson", posts: "posts.ndjson", stats: "stats.csv" },
    until: "2024-12-05",
  },
  {
    name: "real channels",
    folder: `${ROOT}../shared/data/real/`,
    ...{ channels: "channels.csv", posts: "posts.ndjson", stats: "stats.csv" },
    until: "2025-04-23",
  },
];

for (const { name, folder, until, ...files } of DATA_SETS) {
  describe.skipIf(!existsSync(folder))(`over ${name}`, () => {
    let appliance: Appliance;
    let mcp: McpRequests;
    let descriptions: Record<string, string>;
    /** Numbers of channels with posts or statistics. */
    let busy: number[];

    beforeAll(async () => {
      const ports = fakePorts(`${until}T12:00:00+03:00`);
      appliance = await startAppliance({}, ports);
      const { db } = appliance.app.domains;
      for (const kind of ["channels", "posts", "stats"] as const) {
        await importFile(db, ports.clock, kind, folder + files[kind]);
      }
      mcp = mcpRequests(appliance, (await appliance.customer()).key);
      const { tools } = (await mcp.ask("tools/list")).body.result;
      descriptions = Object.fromEntries(
        tools.map((tool: { name: string; description: string }) => [tool.name, tool.description]),
      );
      busy = db
        .prepare("SELECT DISTINCT channel_id AS id FROM posts")
        .all()
        .map((row) => (row as { id: number }).id);
    });
    afterAll(() => appliance.close());

    /** The number that the first group of an expression matches in a tool's description. */
    function stated(tool: string, where: RegExp): number {
      const found = where.exec(descriptions[tool] ?? "")?.[1];
      expect(found, `${tool}: ${where}`).toBeString();
      return Number(found?.replaceAll(",", ""));
    }

    function expectNear(measured: number, figure: number, what: string): void {
      expect(measured, what).toBeGreaterThan(figure * (1 - TOLERANCE));
      expect(measured, what).toBeLessThan(figure * (1 + TOLERANCE));
    }

    async function results(tool: string, args: Record<string, unknown>): Promise<object[]> {
      const all: object[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const answer = await mcp.call(tool, cursor === undefined ? args : { ...args, cursor });
        const { results: page, next } = expectToolResult(answer);
        all.push(...page);
        cursor = next ?? null;
      }
      return all;
    }

    const characters = (value: unknown): number => JSON.stringify(value).length;
    const mean = (items: object[]): number =>
      items.reduce((sum: number, item) => sum + characters(item) + 1, 0) / items.length;

    test("a card", async () => {
      const tool = "msgr_channels_list";
      const cards = await results(tool, { limit: 100 });
      expectNear(mean(cards), stated(tool, /A card is about (\d+) characters/), "cards");
      for (const one of ["msgr_channels_retrieve", "msgr_channels_resolve_retrieve"]) {
        expectNear(mean(cards), stated(one, /about (\d+) characters/i), one);
      }
      const narrow = await results(tool, { limit: 100, fields: "id,title,subscribers" });
      expectNear(mean(narrow), stated(tool, /`fields` id,title,subscribers about (\d+)/), "narrow");
      const largest = expectToolResult(await mcp.call(tool, { limit: 100 }));
      expect(characters(largest)).toBeLessThan(CHARACTERS_MAX);
      const withMetrics = await results(tool, { limit: 100, include: "metrics" });
      const added = mean(withMetrics) - mean(cards);
      const { tools } = (await mcp.ask("tools/list")).body.result;
      const described = tools.find(({ name }: { name: string }) => name === tool);
      const { include } = described.inputSchema.properties;
      expectNear(added, Number(/about (\d+) characters/.exec(include.description)?.[1]), "metrics");
    });

    test("a post", async () => {
      const tool = "msgr_channels_posts_retrieve";
      const figures = /A post is about ([\d,]+) to [\d,]+ characters/;
      const [least, most] = [stated(tool, figures), stated(tool, /about [\d,]+ to ([\d,]+) char/)];
      const posts: object[] = [];
      const narrow: object[] = [];
      for (const channel of busy) {
        posts.push(...(await results(tool, { channel, limit: 100 })));
        narrow.push(...(await results(tool, { channel, limit: 100, fields: "id,views" })));
      }
      expect(mean(posts)).toBeGreaterThan(least * (1 - TOLERANCE));
      expect(mean(posts)).toBeLessThan(most * (1 + TOLERANCE));
      expect(descriptions["msgr_posts_retrieve"]).toContain(
        `about ${least} to ${most.toLocaleString("en")} characters`,
      );
      expectNear(mean(narrow), stated(tool, /`fields` id,views about (\d+)/), "narrow");
    });

    test("a mention, and a similar channel", async () => {
      const tool = "msgr_channels_mentions_list";
      const figures = /A post is about ([\d,]+) to [\d,]+ characters/;
      const [least, most] = [stated(tool, figures), stated(tool, /about [\d,]+ to ([\d,]+) char/)];
      const mentions: object[] = [];
      const narrow: object[] = [];
      const similar: object[] = [];
      const fields = "mentioned_by,published_at";
      for (const channel of busy) {
        mentions.push(...(await results(tool, { channel, limit: 100 })));
        narrow.push(...(await results(tool, { channel, limit: 100, fields })));
        similar.push(...(await results("msgr_channels_similar_list", { channel })));
      }
      expectNear(
        mean(similar),
        stated("msgr_channels_similar_list", /about (\d+) char/),
        "similar",
      );
      if (mentions.length === 0) return;
      expect(mean(mentions)).toBeGreaterThan(least * (1 - TOLERANCE));
      expect(mean(mentions)).toBeLessThan(most * (1 + TOLERANCE));
      const ofNarrow = /mentioned_by,published_at about (\d+) to \d+/;
      expect(mean(narrow)).toBeGreaterThan(stated(tool, ofNarrow) * (1 - TOLERANCE));
      const mostOfNarrow = stated(tool, /mentioned_by,published_at about \d+ to (\d+)/);
      expect(mean(narrow)).toBeLessThan(mostOfNarrow * (1 + TOLERANCE));
    });

    test("a found post", async () => {
      const tool = "msgr_posts_search_list";
      const figures = /A post is about ([\d,]+) to [\d,]+ characters/;
      const [least, most] = [stated(tool, figures), stated(tool, /about [\d,]+ to ([\d,]+) char/)];
      const fields = "id,channel,published_at,snippet";
      const [posts, narrow]: [object[], object[]] = [[], []];
      for (const q of ["новости", "год", "Россия | Москва", "учёные"]) {
        posts.push(...(await results(tool, { q, limit: 100 })));
        narrow.push(...(await results(tool, { q, limit: 100, fields })));
      }
      expect(mean(posts)).toBeGreaterThan(least * (1 - TOLERANCE));
      expect(mean(posts)).toBeLessThan(most * (1 + TOLERANCE));
      expectNear(mean(narrow), stated(tool, /snippet about (\d+)/), "narrow");
    });

    test("a word over time", async () => {
      const tool = "msgr_posts_search_stats";
      const found = { periods: [] as object[], channels: [] as object[] };
      for (const q of ["новости", "год", "Россия | Москва", "учёные"]) {
        const { periods, top_channels } = expectToolResult(await mcp.call(tool, { q }));
        found.periods.push(...periods);
        found.channels.push(...top_channels);
      }
      expectNear(mean(found.periods), stated(tool, /A period is about (\d+)/), "periods");
      expectNear(mean(found.channels), stated(tool, /a channel about (\d+)/), "channels");
    });

    test("a comparison, and statistics of a selection", async () => {
      const tool = "msgr_channels_compare_list";
      const channels = busy.slice(0, 20).join();
      const whole = await results(tool, { channels });
      expect(mean(whole)).toBeGreaterThan(
        stated(tool, /A channel is about ([\d,]+) to/) * (1 - TOLERANCE),
      );
      expect(mean(whole)).toBeLessThan(
        stated(tool, /A channel is about [\d,]+ to ([\d,]+)/) * (1 + TOLERANCE),
      );
      const fields = "channel,growth,growth_percent,views_mean,err";
      const narrow = await results(tool, { channels, fields });
      expectNear(mean(narrow), stated(tool, /views_mean,err about (\d+)/), "narrow");
      const statistics = "msgr_channels_stats_retrieve";
      const every = "channels,subscribers,categories,territories";
      const selected = expectToolResult(await mcp.call(statistics, { fields: every }));
      const groups = [...selected.categories, ...selected.territories];
      expectNear(mean(groups), stated(statistics, /about (\d+) characters each/), "groups");
      const most = stated(statistics, /up to ([\d,]+) for the whole catalog/);
      expect(characters(selected)).toBeLessThan(most);
      const few = expectToolResult(await mcp.call(statistics, { fields: "channels,subscribers" }));
      expectNear(characters(few), stated(statistics, /channels,subscribers about (\d+)/), "few");
    });

    test("a day", async () => {
      const tool = "msgr_stats_daily_list";
      const period = { channels: busy.join(","), from: until.replace(/-\d\d$/, "-01"), to: until };
      const rows = await results(tool, period);
      const figure = stated(tool, /A row is about (\d+) characters/);
      expectNear(mean(rows), figure, "rows");
      const narrow = await results(tool, { ...period, fields: "day,subscribers" });
      expectNear(mean(narrow), stated(tool, /day,subscribers about (\d+)\)/), "narrow");
      expectNear(mean(rows) * 3_000, stated(tool, /over 30 days some ([\d,]+)/), "30 days");
    });

    test("an entry of the directories", async () => {
      const categories = await results("msgr_categories_list", {});
      const figure = stated("msgr_categories_list", /An entry is about (\d+) characters/);
      expectNear(mean(categories), figure, "categories");
      expect(characters(categories)).toBeLessThan(CHARACTERS_MAX);

      const tool = "msgr_territories_list";
      const territories: object[] = [];
      for (const kind of ["country", "district", "region", "city"]) {
        territories.push(...(await results(tool, { kind })));
      }
      expectNear(mean(territories), stated(tool, /A node is about (\d+) characters/), "nodes");
      const cities = await results(tool, { kind: "city" });
      expectNear(characters(cities), stated(tool, /`kind` city some ([\d,]+)/), "cities");
      const narrow = await results(tool, { kind: "city", fields: "slug,name" });
      expectNear(mean(narrow), stated(tool, /`fields` slug,name about (\d+)/), "narrow");
      for (const kind of ["country", "district", "region"]) {
        expect(characters(await results(tool, { kind })), kind).toBeLessThan(CHARACTERS_MAX);
      }
      const nodes = territories as { parent: string | null }[];
      for (const parent of new Set(nodes.flatMap(({ parent }) => parent ?? []))) {
        const below = await results(tool, { parent });
        expect(below.length, parent).toBeGreaterThan(0);
        expect(characters(below), parent).toBeLessThan(CHARACTERS_MAX);
      }
    });

    test("a call that does not say how much it wants gets at most 25,000 characters, and a cursor of 24", async () => {
      const channels: Record<string, unknown>[] = busy.map((channel) => ({ channel }));
      const three = busy.slice(0, 3).join();
      const calls: [tool: string, args: Record<string, unknown>[]][] = [
        ["me_retrieve", [{}]],
        ["msgr_channels_resolve_retrieve", []],
        ["msgr_channels_list", [{}, { include: "metrics" }, { q: "новости" }]],
        ["msgr_channels_retrieve", channels],
        ["msgr_stats_daily_list", [{ channels: three }]],
        ["msgr_channels_posts_retrieve", channels],
        ["msgr_posts_retrieve", [{ id: 1 }]],
        ["msgr_categories_list", [{}]],
        ["msgr_territories_list", [{}]],
        ["msgr_posts_search_list", ["новости", "год", "россия", "=и"].map((q) => ({ q }))],
        ["msgr_channels_compare_list", [{ channels: three }]],
        ["msgr_channels_stats_retrieve", [{}]],
        ["msgr_channels_mentions_list", channels],
        ["msgr_channels_similar_list", channels],
        ["msgr_posts_search_stats", ["новости", "год", "россия", "=и"].map((q) => ({ q }))],
        ["msgr_trends_list", [{}]],
      ];
      expect(calls.map(([tool]) => tool)).toEqual(TOOL_NAMES);
      for (const [tool, all] of calls) {
        for (const args of all) {
          const answer = expectToolResult(await mcp.call(tool, args), tool);
          expect(characters(answer), `${tool} ${JSON.stringify(args)}`).toBeLessThanOrEqual(25_000);
          expect(answer.next?.length ?? 0, answer.next).toBeLessThanOrEqual(24);
        }
      }
    });
  });
}
