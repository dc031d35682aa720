import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported, pagesOf } from "../../support/expectations.ts";
import {
  expectAsOverRest,
  expectRpcError,
  expectToolError,
  expectToolResult,
  type McpRequests,
  mcpRequests,
  TOOL_NAMES,
} from "../../support/mcp-requests.ts";

/** `tools/call`: its checks, answers and costs. */

const CHANNELS = 130;

let appliance: Appliance;
let mcp: McpRequests;

beforeAll(async () => {
  appliance = await startAppliance({ KANALOG_BASE_URL: "https://kanalog.example.com" });
  await imported(appliance, "channels", [
    channel(1, {
      ...{
        msgr_id: -1001000724666,
        handle: "one",
        description: "Первый",
        link: "https://t.me/one",
      },
      ...{ image: "https://img.example.com/1.webp", subscribers: 9_000, category: "science" },
      ...{ categories: ["news"], territory: "moskva", quality: 42.1, citation: 53.9 },
      ...{ a_plus: true, verified: true, last_post_at: "2026-11-20T10:00:00+03:00" },
    }),
    ...Array.from({ length: CHANNELS - 1 }, (_, index) =>
      // Numbers repeat, so that pages end among equal ones.
      channel(2 + index, { subscribers: 1_000 + (index % 7), kind: "channel" }),
    ),
    channel(500, { kind: "chat", title: "Болталка", handle: "12ab" }),
  ]);
  await imported(
    appliance,
    "posts",
    Array.from({ length: 120 }, (_, index) => ({
      ...{ id: 1 + index, channel: 1, text: `Текст "${index}" \\ 🙌\n`, views: index },
      ...{ is_ad: index % 3 === 0, link: index % 2 === 0 ? `https://t.me/one/${index}` : null },
      published_at: `2026-11-${String(1 + (index % 19)).padStart(2, "0")}T10:00:00+03:00`,
    })),
  );
  await imported(
    appliance,
    "stats",
    Array.from({ length: 19 }, (_, index) => ({
      ...{ channel: 1, day: `2026-11-${String(1 + index).padStart(2, "0")}` },
      ...{ subscribers: 8_000 + index, views: index, posts: 1 },
    })),
  );
});

beforeEach(async () => {
  mcp = mcpRequests(appliance, (await appliance.customer()).key);
});

afterAll(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

/** A call of each tool, and the same request over REST. */
const SAME: [tool: string, args: Record<string, unknown>, path: string][] = [
  ["me_retrieve", {}, "/v1/me/"],
  ["msgr_channels_resolve_retrieve", { q: "@one" }, "/v1/msgr/channels/resolve/?q=@one"],
  [
    "msgr_channels_resolve_retrieve",
    { q: "https://t.me/one?x=1#y" },
    "/v1/msgr/channels/resolve/?q=https%3A%2F%2Ft.me%2Fone%3Fx%3D1%23y",
  ],
  ["msgr_channels_list", {}, "/v1/msgr/channels/?limit=20"],
  ["msgr_channels_list", { q: "Channel 1" }, "/v1/msgr/channels/?q=Channel%201&limit=20"],
  ["msgr_channels_list", { q: "БОЛТ", kind: "chat" }, "/v1/msgr/channels/?q=БОЛТ&kind=chat"],
  ["msgr_channels_list", { ids: "3,1,99999,2" }, "/v1/msgr/channels/?ids=3,1,99999,2"],
  [
    "msgr_channels_list",
    { a_plus: true, verified: true, subscribers_min: 5, subscribers_max: 10_000, limit: 3 },
    "/v1/msgr/channels/?a_plus=true&verified=true&subscribers_min=5&subscribers_max=10000&limit=3",
  ],
  [
    "msgr_channels_list",
    { a_plus: false, ordering: "-quality", limit: 100 },
    "/v1/msgr/channels/?a_plus=false&ordering=-quality&limit=100",
  ],
  ["msgr_channels_list", { category: "news" }, "/v1/msgr/channels/?category=news"],
  ["msgr_trends_list", { hours: 72 }, "/v1/msgr/trends/?hours=72"],
  ["msgr_posts_search_stats", { q: "пост" }, "/v1/msgr/posts/search/stats/?q=пост"],
  ["msgr_channels_list", { q: "%_&=+;'\"" }, "/v1/msgr/channels/?q=%25_%26%3D%2B%3B'%22"],
  ["msgr_channels_retrieve", { channel: "1" }, "/v1/msgr/channels/1/"],
  ["msgr_channels_retrieve", { channel: "ONE" }, "/v1/msgr/channels/one/"],
  ["msgr_channels_retrieve", { channel: "500" }, "/v1/msgr/channels/500/"],
  ["msgr_stats_daily_list", { channels: "1,2" }, "/v1/msgr/stats/daily/?channels=1,2"],
  [
    "msgr_stats_daily_list",
    { channels: "1", from: "2026-11-03", to: "2026-11-05" },
    "/v1/msgr/stats/daily/?channels=1&from=2026-11-03&to=2026-11-05",
  ],
  ["msgr_channels_posts_retrieve", { channel: "1" }, "/v1/msgr/channels/1/posts/?limit=10"],
  [
    "msgr_channels_posts_retrieve",
    { channel: "one", is_ad: false, from: "2026-11-03", to: "2026-11-05", limit: 2 },
    "/v1/msgr/channels/one/posts/?is_ad=false&from=2026-11-03&to=2026-11-05&limit=2",
  ],
  ["msgr_channels_posts_retrieve", { channel: "2" }, "/v1/msgr/channels/2/posts/"],
  ["msgr_posts_retrieve", { id: 7 }, "/v1/msgr/posts/7/"],
  ["msgr_posts_retrieve", { id: "8" }, "/v1/msgr/posts/8/"],
  [
    "msgr_channels_mentions_list",
    { channel: "one", kind: "link", from: "2026-11-03" },
    "/v1/msgr/channels/one/mentions/?kind=link&from=2026-11-03",
  ],
  ["msgr_channels_similar_list", { channel: "1" }, "/v1/msgr/channels/1/similar/"],
  ["msgr_categories_list", {}, "/v1/msgr/categories/"],
  ["msgr_territories_list", {}, "/v1/msgr/territories/?kind=region"],
  [
    "msgr_territories_list",
    { kind: "city", parent: "moskva" },
    "/v1/msgr/territories/?kind=city&parent=moskva",
  ],
  [
    "msgr_posts_search_list",
    { q: "text | пост", is_ad: false, limit: 2 },
    "/v1/msgr/posts/search/?q=text+|+пост&is_ad=false&limit=2",
  ],
  [
    "msgr_channels_compare_list",
    { channels: "one,2", from: "2026-11-03", to: "2026-11-19" },
    "/v1/msgr/channels/compare/?channels=one,2&from=2026-11-03&to=2026-11-19",
  ],
  [
    "msgr_channels_stats_retrieve",
    { category: "science" },
    "/v1/msgr/channels/stats/?category=science&fields=channels,subscribers,categories",
  ],
];

describe("the answer to a call", () => {
  const validators: Record<string, ValidateFunction> = {};
  beforeAll(async () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    const { body } = await mcpRequests(appliance, (await appliance.customer()).key).ask(
      "tools/list",
    );
    for (const { name, outputSchema } of body.result.tools) {
      validators[name] = ajv.compile(outputSchema);
    }
  });

  for (const [tool, args, path] of SAME) {
    test(`${tool} ${JSON.stringify(args)} is the same as over REST, in both forms, and valid by its schema`, async () => {
      const overRest = await appliance.request(path, { key: mcp.key });
      const answer = await mcp.call(tool, args);
      if (overRest.status !== 200) throw new Error(JSON.stringify(overRest.body));
      // me_retrieve includes the units used by the previous call.
      const expected =
        tool === "me_retrieve"
          ? (await appliance.request(path, { key: mcp.key })).body
          : overRest.body;
      expectAsOverRest(expectToolResult(answer), expected);
      const validate = validators[tool] as ValidateFunction;
      expect(validate(answer.body.result.structuredContent), JSON.stringify(validate.errors)).toBe(
        true,
      );
    });
  }

  test("has a schema that no wrong answer passes", async () => {
    const card = expectToolResult(await mcp.call("msgr_channels_retrieve", { channel: "1" }));
    const validate = validators["msgr_channels_retrieve"] as ValidateFunction;
    for (const name of Object.keys(card)) {
      const { [name]: _, ...less } = card;
      // With `fields`, any field may be absent.
      expect(validate(less), `without ${name}`).toBe(true);
      expect(validate({ ...card, [`${name}_`]: 1 }), `beside ${name}`).toBe(false);
      expect(validate({ ...card, [name]: {} }), `${name} as an object`).toBe(false);
    }
    const nullable = [
      ...["handle", "description", "link", "image", "category", "territory", "quality"],
      ...["citation", "last_post_at", "subscribers_at"],
    ];
    for (const name of Object.keys(card)) {
      expect(validate({ ...card, [name]: null }), `${name} null`).toBe(nullable.includes(name));
    }
    const list = validators["msgr_channels_list"] as ValidateFunction;
    expect([list({ results: [], next: null }), list({ results: [] })]).toEqual([true, false]);
    const posts = validators["msgr_posts_retrieve"] as ValidateFunction;
    const post = expectToolResult(await mcp.call("msgr_posts_retrieve", { id: 1 }));
    expect([posts({ ...post, link: null }), posts({ ...post, text: null })]).toEqual([true, false]);
    const me = validators["me_retrieve"] as ValidateFunction;
    const account = expectToolResult(await mcp.call("me_retrieve"));
    expect(me({ ...account, key: { ...account.key, expires_at: null, last_used_at: null } })).toBe(
      true,
    );
    expect(me({ ...account, tariff_ends_at: null })).toBe(true);
  });

  test("has only the three members of the specification", async () => {
    const { body } = await mcp.call("msgr_channels_retrieve", { channel: "1" });
    expect(Object.keys(body.result).toSorted()).toEqual([
      "content",
      "isError",
      "structuredContent",
    ]);
    const failed = await mcp.call("msgr_channels_retrieve", { channel: "99999" });
    expect(Object.keys(failed.body.result).toSorted()).toEqual(["content", "isError"]);
  });
});

describe("checked before the method, and free", () => {
  for (const [what, params] of [
    ["no params", undefined],
    ["no name", { arguments: {} }],
    ["a name that is a number", { name: 1 }],
    ["a name that is null", { name: null }],
    ["a name in a list", { name: ["me_retrieve"] }],
    ["an unknown tool", { name: "nope", arguments: {} }],
    ["a tool in capitals", { name: "ME_RETRIEVE" }],
    ["a tool with a blank", { name: "me_retrieve " }],
    ["an API path", { name: "GET /v1/me/" }],
    ["arguments that are a list", { name: "me_retrieve", arguments: [] }],
    ["arguments that are null", { name: "me_retrieve", arguments: null }],
    ["arguments that are a string", { name: "me_retrieve", arguments: "{}" }],
    ["arguments that are a number", { name: "me_retrieve", arguments: 1 }],
    ["arguments that are zero", { name: "me_retrieve", arguments: 0 }],
    ["arguments that are false", { name: "me_retrieve", arguments: false }],
    ["arguments that are an empty string", { name: "me_retrieve", arguments: "" }],
    ["an extra argument", { name: "me_retrieve", arguments: { x: 1 } }],
    ["an extra argument that is null", { name: "me_retrieve", arguments: { x: null } }],
    ["an extra argument without a name", { name: "me_retrieve", arguments: { "": 1 } }],
    ["another tool's argument", { name: "msgr_channels_list", arguments: { channel: "1" } }],
    ["an argument in capitals", { name: "msgr_channels_list", arguments: { Q: "one" } }],
    [
      "one argument too many",
      { name: "msgr_channels_retrieve", arguments: { channel: "1", x: 1 } },
    ],
    ["no arguments where one is needed", { name: "msgr_channels_retrieve" }],
    ["a missing argument", { name: "msgr_channels_retrieve", arguments: {} }],
    ["no q", { name: "msgr_channels_resolve_retrieve", arguments: {} }],
    ["no channels", { name: "msgr_stats_daily_list", arguments: { from: "2026-11-01" } }],
    ["no channel of the posts", { name: "msgr_channels_posts_retrieve", arguments: { limit: 1 } }],
    ["no number of the post", { name: "msgr_posts_retrieve", arguments: {} }],
    ["both too many and too few", { name: "msgr_posts_retrieve", arguments: { channel: "1" } }],
    [
      "a bad value beside an extra one",
      { name: "msgr_channels_list", arguments: { limit: 0, x: 1 } },
    ],
    ["a bad value, another missing", { name: "msgr_stats_daily_list", arguments: { from: "x" } }],
  ] as const) {
    test(`${what} is -32602`, async () => {
      expectRpcError(await mcp.ask("tools/call", params), -32602, 200);
      expect(await mcp.used()).toBe(0);
    });
  }

  for (const value of [
    "a/b",
    "/",
    "one?",
    "?x=1",
    "one#",
    "../me",
    "1/posts",
    "https://t.me/nobody",
  ]) {
    test(`"${value}" does not fit into a path: -32602 for every path argument`, async () => {
      for (const [tool, args] of [
        ["msgr_channels_retrieve", { channel: value }],
        ["msgr_channels_posts_retrieve", { channel: value }],
        ["msgr_posts_retrieve", { id: value }],
      ] as const) {
        expectRpcError(await mcp.call(tool, args), -32602, 200, tool);
      }
      expect(await mcp.used()).toBe(0);
    });
  }

  test("an argument that does not fit into a path is an error even if the plan does not include the method", async () => {
    const { key } = await appliance.customer({ plan: "test" });
    const answer = await mcpRequests(appliance, key).call("msgr_channels_posts_retrieve", {
      channel: "a/b",
    });
    expectRpcError(answer, -32602, 200);
  });

  test("the error message names what is wrong", async () => {
    const messageOf = async (tool: string, args: Record<string, unknown>) =>
      (await mcp.call(tool, args)).body.error.message;
    expect(await messageOf("nope_tool", {})).toContain("nope_tool");
    expect(await messageOf("me_retrieve", { surplus: 1 })).toContain("surplus");
    expect(await messageOf("msgr_stats_daily_list", {})).toContain("channels");
    expect(await messageOf("msgr_channels_retrieve", { channel: "a/b" })).toContain("channel");
  });

  test("in the contract's order: tool, extra, missing, path", async () => {
    const messageOf = async (tool: string, args: Record<string, unknown>) =>
      (await mcp.call(tool, args)).body.error.message;
    expect(await messageOf("msgr_channels_posts_retrieve", { surplus: 1 })).toContain("surplus");
    expect(
      await messageOf("msgr_channels_posts_retrieve", { channel: "a/b", surplus: 1 }),
    ).toContain("surplus");
    expect(await messageOf("nope_tool", { surplus: 1 })).not.toContain("surplus");
  });
});

describe("the method's own error", () => {
  for (const [tool, args, text] of [
    [
      "msgr_channels_list",
      { kind: "group" },
      '400 invalid: kind: "group" is not a valid choice. Allowed: channel, chat.',
    ],
    [
      "msgr_channels_list",
      { ordering: "subscribers" },
      '400 invalid: ordering: "subscribers" is not a valid choice. Allowed: -subscribers, -quality, -citation, -last_post_at, -growth_7d, -growth_30d, -growth_30d_percent, -reach_30d, -err_30d, -reach_24h, -reach_48h, -ad_reach_24h, -ad_reach_48h.',
    ],
    [
      "msgr_channels_list",
      { limit: 1_000 },
      "400 invalid: limit: Ensure this value is less than or equal to 100.",
    ],
    ["msgr_channels_list", { limit: "ten" }, "400 invalid: limit: A valid integer is required."],
    ["msgr_channels_list", { limit: {} }, "400 invalid: limit: "],
    ["msgr_channels_list", { limit: 1.5 }, "400 invalid: limit: "],
    ["msgr_channels_list", { subscribers_min: 1e21 }, "400 invalid: subscribers_min: "],
    ["msgr_channels_list", { a_plus: "maybe" }, "400 invalid: a_plus: Must be a valid boolean."],
    ["msgr_channels_list", { q: "ab" }, "400 invalid: q: "],
    ["msgr_channels_list", { q: ["abc"] }, "400 invalid: q: "],
    ["msgr_channels_list", { q: { a: 1 } }, "400 invalid: q: "],
    ["msgr_channels_list", { ids: "1,x" }, "400 invalid: ids: "],
    ["msgr_channels_list", { ids: [[1, 2]] }, "400 invalid: ids: "],
    ["msgr_channels_list", { ids: ["one"] }, "400 invalid: ids: "],
    ["msgr_channels_list", { cursor: "nonsense" }, "400 invalid: cursor: Invalid cursor. "],
    [
      "msgr_stats_daily_list",
      { channels: "1", from: "2025-02-30" },
      "400 invalid: from: Date has wrong format. Use one of these formats instead: YYYY-MM-DD.",
    ],
    [
      "msgr_stats_daily_list",
      { channels: "1", from: "2026-11-05", to: "2026-11-01" },
      "400 invalid: to: ",
    ],
    ["msgr_channels_posts_retrieve", { channel: "1", limit: 0 }, "400 invalid: limit: "],
    ["msgr_channels_retrieve", { channel: ["1"] }, "400 invalid: channel: "],
    ["msgr_channels_retrieve", { channel: { id: 1 } }, "400 invalid: channel: "],
    ["msgr_channels_retrieve", { channel: true }, "400 invalid: channel: "],
    ["msgr_channels_retrieve", { channel: null }, "400 invalid: channel: "],
    ["msgr_posts_retrieve", { id: [1] }, "400 invalid: id: "],
    ["msgr_channels_resolve_retrieve", { q: null }, "400 invalid: q: "],
    ["msgr_channels_list", { kind: true }, "400 invalid: kind: "],
    ["msgr_stats_daily_list", { channels: [{}] }, "400 invalid: channels: "],
    ["msgr_channels_retrieve", { channel: "99999" }, "404 not_found: "],
    ["msgr_channels_resolve_retrieve", { q: "@nobody" }, "404 not_found: "],
    ["msgr_posts_retrieve", { id: 99_999 }, "404 not_found: "],
  ] as [string, Record<string, unknown>, string][]) {
    test(`${tool} ${JSON.stringify(args)} is "${text}", and costs as the method does`, async () => {
      const answer = await mcp.call(tool, args);
      expectToolError(answer, text);
      if (!text.endsWith(" ")) expect(answer.body.result.content[0].text).toBe(text);
      expect(answer.body.result.content[0].text).toMatch(/^\d{3} [a-z_]+: \S/);
      expect(await mcp.usage()).toMatchObject({ [tool]: { requests: 1, units: 1 } });
      expect(await mcp.used()).toBe(1);
    });
  }

  for (const channel of ["nobody", "..", "%2e%2e%2fme", "resolve", "999999999999999999999"]) {
    test(`is free if no channel is named ${channel}`, async () => {
      for (const tool of ["msgr_channels_retrieve", "msgr_channels_posts_retrieve"]) {
        expectToolError(await mcp.call(tool, { channel }), "404 not_found: ");
      }
      expect(await mcp.used()).toBe(/^\d+$/.test(channel) ? 2 : 0);
    });
  }

  test("names all wrong arguments", async () => {
    const answer = await mcp.call("msgr_channels_list", { kind: "group", limit: 0, a_plus: "x" });
    const parts = [
      'kind: "group" is not a valid choice. Allowed: channel, chat.',
      "limit: Ensure this value is greater than or equal to 1.",
      "a_plus: Must be a valid boolean.",
    ];
    // In any order, separated by single blanks.
    const sentences = answer.body.result.content[0].text.slice("400 invalid: ".length);
    expect(sentences.split(/ (?=[a-z_]+: )/).toSorted()).toEqual(parts.toSorted());
  });

  test("is free if the method is free", async () => {
    const answer = await mcp.call("msgr_territories_list", { kind: "village" });
    expectToolError(answer, '400 invalid: kind: "village" is not a valid choice. Allowed: ');
    for (const kind of ["country", "district", "region", "city"]) {
      expect(answer.body.result.content[0].text).toContain(kind);
    }
    expect(await mcp.used()).toBe(0);
  });

  test("says that the plan does not include the method, and costs nothing", async () => {
    const client = mcpRequests(appliance, (await appliance.customer({ plan: "test" })).key);
    for (const [tool, args] of [
      ["msgr_channels_posts_retrieve", { channel: "1" }],
      ["msgr_posts_retrieve", { id: 1 }],
      ["msgr_stats_daily_list", { channels: "1", from: "2026-01-01", to: "2026-01-02" }],
    ] as const) {
      expectToolError(await client.call(tool, args), "403 tariff_required: ", tool);
    }
    expect(await client.used()).toBe(0);
  });

  test("if unexpected, is returned without its cause, is logged, and costs nothing", async () => {
    const own = await startAppliance();
    try {
      const client = mcpRequests(own, (await own.customer()).key);
      own.app.domains.db.exec("DROP TABLE posts");
      const answer = await client.call("msgr_posts_retrieve", { id: 1 });
      expectToolError(answer, "500 internal: ");
      expect(JSON.stringify(answer.body)).not.toContain("table");
      expect(own.ports.log.errors).toHaveLength(1);
      expect(await client.used()).toBe(0);
    } finally {
      await own.close();
    }
  });

  test("has the same sentence as over REST", async () => {
    const { body } = await appliance.request("/v1/msgr/channels/nobody/", { key: mcp.key });
    const answer = await mcp.call("msgr_channels_retrieve", { channel: "nobody" });
    expectToolError(answer, `404 ${body.code}: ${body.detail}`);
  });
});

describe("a number in place of a string", () => {
  for (const [tool, args, path] of [
    ["msgr_channels_retrieve", { channel: 1 }, "/v1/msgr/channels/1/"],
    [
      "msgr_channels_posts_retrieve",
      { channel: 1, limit: 1 },
      "/v1/msgr/channels/1/posts/?limit=1",
    ],
    ["msgr_stats_daily_list", { channels: 1 }, "/v1/msgr/stats/daily/?channels=1"],
    ["msgr_channels_list", { ids: 3 }, "/v1/msgr/channels/?ids=3"],
    ["msgr_channels_list", { ids: 0 }, "/v1/msgr/channels/?ids=0"],
    [
      "msgr_channels_resolve_retrieve",
      { q: -1001000724666 },
      "/v1/msgr/channels/resolve/?q=-1001000724666",
    ],
  ] as const) {
    test(`is read as its digits: ${tool} ${JSON.stringify(args)}`, async () => {
      const { status, body } = await appliance.request(path, { key: mcp.key });
      expect(status).toBe(200);
      expectAsOverRest(expectToolResult(await mcp.call(tool, args)), body);
    });
  }
});

describe("what calls cost", () => {
  test("a call is counted under its method's name, as over REST", async () => {
    for (const [tool, args] of SAME) expectToolResult(await mcp.call(tool, args), tool);
    const usage = await mcp.usage();
    const free = ["me_retrieve", "msgr_categories_list", "msgr_territories_list"];
    for (const name of TOOL_NAMES) {
      const requests = SAME.filter(([tool]) => tool === name).length;
      const units = free.includes(name) ? 0 : requests;
      // The usage itself is read over REST, which counts under another name.
      expect(usage[name], name).toMatchObject({ requests, units });
    }
    const billed = SAME.filter(([tool]) => !free.includes(tool)).length;
    expect(await mcp.used()).toBe(billed);
  });

  test("the cost is in a header of the answer", async () => {
    for (const [tool, args, cost] of [
      ["me_retrieve", {}, "0"],
      ["msgr_channels_retrieve", { channel: 1 }, "1"],
      ["msgr_channels_retrieve", { channel: 99_999 }, "1"],
      ["msgr_channels_retrieve", {}, "0"],
      ["nope", {}, "0"],
    ] as const) {
      expect((await mcp.call(tool, args)).headers.get("x-request-cost"), tool).toBe(cost);
    }
  });
});

describe("pages", () => {
  /** Follows the cursors by tool calls. @returns the ids of each page */
  async function pagesByCalls(tool: string, args: Record<string, unknown>): Promise<number[][]> {
    const pages: number[][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { results, next } = expectToolResult(
        await mcp.call(tool, cursor === undefined ? args : { ...args, cursor }),
      );
      pages.push(results.map(({ id }: { id: number }) => id));
      expect(pages.length).toBeLessThan(1_000);
      cursor = next;
    }
    return pages;
  }

  for (const [tool, args, path] of [
    ["msgr_channels_list", {}, "/v1/msgr/channels/?limit=20"],
    ["msgr_channels_list", { limit: 7 }, "/v1/msgr/channels/?limit=7"],
    [
      "msgr_channels_list",
      { ordering: "-quality", limit: 9, subscribers_max: 1_004 },
      "/v1/msgr/channels/?ordering=-quality&limit=9&subscribers_max=1004",
    ],
    [
      "msgr_channels_list",
      { q: "Channel 1", limit: 5 },
      "/v1/msgr/channels/?q=Channel%201&limit=5",
    ],
    ["msgr_channels_posts_retrieve", { channel: "one" }, "/v1/msgr/channels/one/posts/?limit=10"],
    [
      "msgr_channels_posts_retrieve",
      { channel: "1", is_ad: false, limit: 11 },
      "/v1/msgr/channels/1/posts/?is_ad=false&limit=11",
    ],
  ] as const) {
    test(`by cursor, ${tool} ${JSON.stringify(args)} returns the same pages as REST`, async () => {
      const pages = await pagesByCalls(tool, args);
      expect(pages.length).toBeGreaterThan(1);
      expect(pages).toEqual(await pagesOf(appliance, path));
      expect(new Set(pages.flat()).size).toBe(pages.flat().length);
    });
  }

  test("are continued by a short cursor, and by that of REST, alone or in its address", async () => {
    const args = { limit: 5, q: "Channel", fields: "id,title,subscribers" };
    const { next } = expectToolResult(await mcp.call("msgr_channels_list", args));
    expect(next.length).toBeLessThanOrEqual(64);
    const path = "/v1/msgr/channels/?limit=5&q=Channel&fields=id,title,subscribers";
    const overRest = (await appliance.request(path, { key: mcp.key })).body.next;
    expect(overRest).toStartWith("https://kanalog.example.com/v1/msgr/channels/?");
    const { pathname, search, searchParams } = new URL(overRest);
    expect(next.length).toBeLessThan((searchParams.get("cursor") ?? "").length / 2);
    const { body } = await appliance.request(pathname + search, { key: mcp.key });
    for (const cursor of [next, searchParams.get("cursor"), overRest]) {
      const called = expectToolResult(await mcp.call("msgr_channels_list", { cursor }));
      expectAsOverRest(called, body, cursor);
      expect(called.results).toHaveLength(5);
    }
  });

  test("end with cursors that are cut, changed, or of anything else", async () => {
    const { next } = expectToolResult(await mcp.call("msgr_channels_list", { limit: 5 }));
    for (const cursor of [
      ...[next.slice(0, -1), next.slice(1), `${next}A`, next.toLowerCase()],
      ...["x".repeat(40), "A".repeat(10_000), Buffer.alloc(64, 255).toString("base64url")],
    ]) {
      const answer = await mcp.call("msgr_channels_list", { cursor });
      expectToolError(answer, "400 invalid: cursor: Invalid cursor. ", cursor);
    }
  });

  test("the cursor of another ordering is the method's 400", async () => {
    const { next: cursor } = expectToolResult(await mcp.call("msgr_channels_list", { limit: 5 }));
    const answer = await mcp.call("msgr_channels_list", { cursor, ordering: "-quality" });
    expectToolError(answer, "400 invalid: cursor: The cursor was made with another ordering: ");
  });
});
