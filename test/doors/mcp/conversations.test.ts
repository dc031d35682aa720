import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createMCPClient } from "@ai-sdk/mcp";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { importFile } from "../../../src/catalog/imports/import-file.ts";
import { computeMetrics } from "../../../src/catalog/metrics/compute-metrics.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import { clientKinds } from "../../support/mcp-clients.ts";
import { converse, type ModelClient, type Script } from "../../support/stand-in-model.ts";

/**
 * Ten questions that people ask, each as the calls that a model needs: over the sample data, through real
 * clients to a stand-in model, which sees only what the clients pass on. A test fails if a question takes
 * more calls or tokens than before.
 */

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
const read = (seen: readonly string[], at = 0): any => JSON.parse(seen[at] ?? "null");
const NAMES = "id,title,subscribers";

interface Bounded extends Script {
  calls: number;
  tokensMax: number;
  expected: unknown;
}

const QUESTIONS: Record<string, Bounded> = {
  "leaders of a topic": {
    question: "Which channels lead in science?",
    turns: [
      () => ({
        tool: "msgr_channels_list",
        arguments: { category: "наука", limit: 3, fields: NAMES },
      }),
    ],
    answer: (seen) => read(seen).results[0].title,
    ...{ calls: 1, tokensMax: 50, expected: "Naked Science" },
  },
  "growth and best post of a quarter": {
    question: "How did Naked Science grow in a quarter, and what was its best post?",
    turns: [
      () => ({
        tool: "msgr_channels_compare_list",
        arguments: {
          ...{ channels: "Naked Science", from: "2024-09-06", to: "2024-12-05" },
          fields: "growth,growth_percent,best_post",
        },
      }),
    ],
    answer: (seen) => [read(seen).results[0].growth > 0, read(seen).results[0].best_post.channel],
    ...{ calls: 1, tokensMax: 560, expected: [true, 1] },
  },
  "compare three": {
    question: "Compare @nsmag, @tproger and Хабр.",
    turns: [
      () => ({
        tool: "msgr_channels_compare_list",
        arguments: {
          channels: ["@nsmag", "https://t.me/tproger", "Хабр"],
          fields: "channel,growth,growth_percent,views_mean,err",
        },
      }),
    ],
    answer: (seen) => read(seen).results.map(({ channel }: { channel: number }) => channel),
    ...{ calls: 1, tokensMax: 145, expected: [1, 5, 3] },
  },
  "who wrote about something first, most, most read": {
    question: "Who wrote about вакцины first, who most, and what was read most?",
    turns: [
      () => ({
        tool: "msgr_posts_search_list",
        arguments: { q: "вакцина", limit: 100, fields: "channel,published_at,views" },
      }),
    ],
    answer(seen) {
      const { results, next } = read(seen);
      const written = Map.groupBy(
        results as { channel: number; views: number }[],
        (post) => post.channel,
      );
      const [most] =
        [...written].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
      const [read_most] = results.toSorted(
        (one: { views: number }, other: { views: number }) => other.views - one.views,
      );
      return [results.at(-1).channel, most, read_most.channel, next];
    },
    ...{ calls: 1, tokensMax: 150, expected: [9, 9, 9, null] },
  },
  "who mentions a channel": {
    question: "Who mentions @goproglib?",
    turns: [
      () => ({
        tool: "msgr_channels_mentions_list",
        arguments: { channel: "@goproglib", fields: "mentioned_by,published_at" },
      }),
    ],
    answer(seen) {
      return read(seen).results.map(
        (post: { mentioned_by: { handle: string } }) => post.mentioned_by.handle,
      );
    },
    ...{
      calls: 1,
      tokensMax: 280,
      expected: ["proglibrary", "pyproglib", "proglibrary", "pyproglib"],
    },
  },
  "channels like one": {
    question: "What is like Библиотека Go?",
    turns: [() => ({ tool: "msgr_channels_similar_list", arguments: { channel: "@goproglib" } })],
    answer: (seen) => read(seen).results.map(({ handle }: { handle: string }) => handle),
    ...{ calls: 1, tokensMax: 210, expected: ["pyproglib", "proglibrary", "habr_com"] },
  },
  "channels by region": {
    question: "How many channels are there in each region?",
    turns: [
      () => ({
        tool: "msgr_channels_stats_retrieve",
        arguments: { fields: "territories" },
      }),
    ],
    answer: (seen) =>
      read(seen).territories.map(({ slug, channels }: { slug: string; channels: number }) => [
        slug,
        channels,
      ]),
    ...{
      calls: 1,
      tokensMax: 75,
      expected: [
        ["russia", 3],
        ["tsentralnyy-fo", 3],
        ["moskva", 3],
      ],
    },
  },
  quota: {
    question: "How many requests are left?",
    turns: [() => ({ tool: "me_retrieve", arguments: {} })],
    answer: (seen) => read(seen).remaining_period > 0,
    ...{ calls: 1, tokensMax: 250, expected: true },
  },
  "fastest growing that are alive": {
    question: "Which channels grow fastest?",
    turns: [
      () => ({
        tool: "msgr_channels_list",
        arguments: { ordering: "-growth_30d", limit: 3, fields: "title,metrics" },
      }),
    ],
    answer(seen) {
      const { results, note } = read(seen);
      return [results[0].metrics.statistics_until, note.includes("7 days")];
    },
    ...{ calls: 1, tokensMax: 600, expected: ["2024-12-04", true] },
  },
  "share of advertising": {
    question: "How much of Типичный программист is advertising?",
    turns: [
      () => ({
        tool: "msgr_channels_retrieve",
        arguments: { channel: "Типичный программист", fields: "title,metrics" },
      }),
    ],
    answer: (seen) => [read(seen).metrics.ads_30d, read(seen).metrics.posts_30d],
    ...{ calls: 1, tokensMax: 180, expected: [4, 43] },
  },
};

let appliance: Appliance;
let address: string;
let key: string;
beforeAll(async () => {
  const ports = fakePorts("2024-12-06T12:00:00+03:00");
  appliance = await startAppliance({ KANALOG_PORT: "0" }, ports);
  const { db } = appliance.app.domains;
  const sample = new URL("../../../data/sample/", import.meta.url).pathname;
  await importFile(db, ports.clock, "channels", `${sample}channels.ndjson`);
  await importFile(db, ports.clock, "posts", `${sample}posts.ndjson`);
  await importFile(db, ports.clock, "stats", `${sample}stats.csv`);
  await computeMetrics(db, ports.clock);
  address = `${appliance.app.listen()}/v1/mcp/`;
  key = (await appliance.customer()).key;
});
afterAll(() => appliance.close());

type Kind = [name: string, connect: () => Promise<ModelClient & { close(): Promise<void> }>];

/** Programs pass on either of the two forms of a result, or what their SDK makes of both. */
const KINDS: Kind[] = [
  ["the text of the 1.x client", () => official(0, "text")],
  ["the structured content of the 2.x client", () => official(2, "structured")],
  ["the AI SDK's client", aiSdk],
];

async function official(at: number, form: "text" | "structured") {
  const client = await (clientKinds[at] as (typeof clientKinds)[number]).overHttp(address, key);
  return {
    tools: async () =>
      (await client.tools()).map(({ name, description = "", inputSchema }) => ({
        ...{ name, description },
        input_schema: inputSchema,
      })),
    async call({ tool, arguments: args }: { tool: string; arguments: Record<string, unknown> }) {
      const { content, structuredContent, isError } = await client.call(tool, args);
      expect(isError ?? false, content[0]?.text).toBe(false);
      expect(content).toHaveLength(1);
      return form === "text" ? (content[0]?.text ?? "") : JSON.stringify(structuredContent);
    },
    close: () => client.close(),
  };
}

async function aiSdk() {
  const client = await createMCPClient({
    transport: { type: "http", url: address, headers: { authorization: `Bearer ${key}` } },
  });
  // biome-ignore lint/suspicious/noExplicitAny: the SDK types each tool by its schema
  const tools: Record<string, any> = await client.tools();
  return {
    tools: async () =>
      Object.entries(tools).map(([name, { description, inputSchema }]) => ({
        ...{ name, description },
        input_schema: inputSchema.jsonSchema,
      })),
    async call({ tool, arguments: args }: { tool: string; arguments: Record<string, unknown> }) {
      const output = await tools[tool].execute(args, { toolCallId: "1", messages: [] });
      const sent = await tools[tool].toModelOutput({ toolCallId: "1", input: args, output });
      const parts = sent.type === "content" ? sent.value : [{ text: JSON.stringify(sent.value) }];
      return parts.map(({ text }: { text: string }) => text).join("\n");
    },
    close: () => client.close(),
  };
}

/** Those of OpenAI's models since GPT-4o: no maker of a model publishes a newer one. */
const tokens = new Tiktoken(o200k);
const measured: Record<string, { calls: number; characters: number; tokens: number }> = {};

describe.each(KINDS)("through %s", (_name, connect) => {
  for (const [name, question] of Object.entries(QUESTIONS)) {
    test(name, async () => {
      appliance.ports.clock.advance(2_000);
      const client = await connect();
      const { answer, calls, exchanged } = await converse(client, question);
      await client.close();
      const taken = tokens.encode(exchanged, "all").length;
      measured[name] = { calls, characters: exchanged.length, tokens: taken };
      expect(answer).toEqual(question.expected);
      expect(calls).toBe(question.calls);
      expect(taken).toBeLessThanOrEqual(question.tokensMax);
    });
  }

  test("what must be known beside the data reaches the model", async () => {
    const client = await connect();
    for (const [tool, args, said] of [
      ["msgr_channels_posts_retrieve", { channel: 1, limit: 1 }, "`next` as `cursor`"],
      ["msgr_stats_daily_list", { channels: 1, from: "2023-01-01", to: "2023-02-01" }, "readings"],
      ["msgr_territories_list", {}, "Only regions"],
    ] as const) {
      const text = await client.call({ tool, arguments: { ...args } });
      expect([tool, JSON.parse(text).note]).toEqual([tool, expect.stringContaining(said)]);
    }
    await client.close();
  });
});

afterAll(() => {
  if (process.env["KANALOG_TEST_PRINT"] !== undefined) console.table(measured);
});
