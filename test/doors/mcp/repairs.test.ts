import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { nearestCodes } from "../../../src/values/fold-text.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import {
  expectToolError,
  expectToolResult,
  type McpRequests,
  mcpRequests,
  noteOf,
} from "../../support/mcp-requests.ts";

/** Mistakes of assistants, which are either tolerated or answered with how to do it right. */

let appliance: Appliance;
let mcp: McpRequests;

beforeAll(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { handle: "one", subscribers: 9 }),
    channel(2, { subscribers: 5, category: "science" }),
    channel(3, { subscribers: 3 }),
  ]);
  await imported(
    appliance,
    "posts",
    [1, 2, 3].map((id) => ({ id, channel: 1, text: "T", published_at: "2026-11-19T10:00:00Z" })),
  );
  await imported(appliance, "stats", [
    { channel: 1, day: "2026-01-05", subscribers: 5 },
    { channel: 1, day: "2026-02-07", subscribers: 5 },
  ]);
});

beforeEach(async () => {
  mcp = mcpRequests(appliance, (await appliance.customer()).key);
});

afterAll(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const FIND_CHANNEL =
  "404 not_found: The channel was not found. `channel` takes a number or a handle: msgr_channels_list with `q` finds them by a part of the title, msgr_channels_resolve_retrieve by a link.";

describe("the error says how to do it right", () => {
  for (const [tool, args, text] of [
    [
      "msgr_channels_resolve_retrieve",
      { q: "Naked Science" },
      "400 invalid: q: Enter a messenger link, an @handle or a messenger channel ID. To find a channel by its title call msgr_channels_list with `q`.",
    ],
    [
      "msgr_channels_resolve_retrieve",
      { q: "@nobody" },
      "404 not_found: The channel was not found. Search by a part of its title: msgr_channels_list with `q`; for group chats with `kind` chat.",
    ],
    [
      "msgr_channels_resolve_retrieve",
      { q: null },
      '400 invalid: q: This field may not be null. Example: "@nsmag".',
    ],
    ["msgr_channels_retrieve", { channel: "nobody" }, FIND_CHANNEL],
    ["msgr_channels_posts_retrieve", { channel: "nobody" }, FIND_CHANNEL],
    [
      "msgr_posts_retrieve",
      { id: 99 },
      "404 not_found: The post was not found. `id` takes the `id` of a post in msgr_channels_posts_retrieve.",
    ],
    [
      "msgr_channels_list",
      { q: "ab" },
      "400 invalid: q: Ensure this field has at least 3 characters. Give a longer part, or leave it out and take a `category`.",
    ],
    [
      "msgr_channels_list",
      { q: ["наука"] },
      '400 invalid: q: Not a valid string. Example: "новости".',
    ],
    [
      "msgr_channels_list",
      { category: "Навука" },
      '400 invalid: category: "Навука" is not a code; did you mean science? Codes: msgr_categories_list',
    ],
    [
      "msgr_channels_list",
      { category: "cheese" },
      '400 invalid: category: "cheese" is not a code. Codes: msgr_categories_list',
    ],
    [
      "msgr_channels_list",
      { territory: "Масква" },
      '400 invalid: territory: "Масква" is not a code; did you mean moskva or moskva-moskva? Codes: msgr_territories_list',
    ],
    [
      "msgr_channels_list",
      { category: "siense", limit: 0 },
      '400 invalid: limit: Ensure this value is greater than or equal to 1. category: "siense" is not a code; did you mean science? Codes: msgr_categories_list',
    ],
    [
      "msgr_channels_list",
      { kind: "group" },
      '400 invalid: kind: "group" is not a valid choice. Allowed: channel, chat.',
    ],
    [
      "msgr_channels_list",
      { ids: "@one" },
      "400 invalid: ids: A valid integer is required. Give service numbers, separated by commas, such as 1,3: msgr_channels_resolve_retrieve gives that of a link or @handle.",
    ],
    [
      "msgr_channels_list",
      { ids: Array.from({ length: 101 }, (_, at) => at) },
      "400 invalid: ids: Ensure this field has no more than 100 elements. Ask for the others in another call.",
    ],
    [
      "msgr_channels_list",
      { cursor: "made-up" },
      "400 invalid: cursor: Invalid cursor. Give the previous page's `next` unchanged; leave it out for the first page.",
    ],
    [
      "msgr_channels_list",
      { cursor: 12 },
      "400 invalid: cursor: Invalid cursor. Give the previous page's `next` unchanged; leave it out for the first page.",
    ],
    [
      "msgr_channels_list",
      { fields: "id,name" },
      '400 invalid: fields: "name" is not a field. Fields: id, handle, title, description, link, image, kind, subscribers, subscribers_at, category, categories, territory, a_plus, verified, quality, citation, last_post_at, former_handles, metrics.',
    ],
    [
      "msgr_stats_daily_list",
      { channels: "one,nobody" },
      "400 invalid: channels: There is no channel nobody.",
    ],
    [
      "msgr_stats_daily_list",
      { channels: [] },
      '400 invalid: channels: This field is required. Example: "1,3".',
    ],
    [
      "msgr_stats_daily_list",
      { channels: "1", from: "05.01.2026" },
      "400 invalid: from: Date has wrong format. Use one of these formats instead: YYYY-MM-DD.",
    ],
    [
      "msgr_stats_daily_list",
      { channels: "1", from: "2026-02-01", to: "2026-01-01" },
      "400 invalid: to: The period ends before it starts. Give `from` the earlier day.",
    ],
    [
      "msgr_stats_daily_list",
      { channels: "1", from: "2020-02-01", to: "2026-01-01" },
      "400 invalid: to: Ensure the period is at most 366 days. Ask for the rest in another call.",
    ],
    [
      "msgr_stats_daily_list",
      {
        channels: Array.from({ length: 100 }, (_, at) => at),
        from: "2026-01-01",
        to: "2026-06-01",
      },
      "400 invalid: channels: Ensure channels times days is at most 10000. Ask for fewer channels or days in one call.",
    ],
    [
      "msgr_territories_list",
      { parent: "rossiya" },
      '400 invalid: parent: "rossiya" is not a code; did you mean russia? Codes: msgr_territories_list',
    ],
    [
      "msgr_categories_list",
      { fields: "code" },
      '400 invalid: fields: "code" is not a field. Fields: id, slug, name, channels, image.',
    ],
  ] as [string, Record<string, unknown>, string][]) {
    test(`${tool} ${JSON.stringify(args).slice(0, 60)}`, async () => {
      const answer = await mcp.call(tool, args);
      expectToolError(answer, text);
      expect(answer.body.result.content[0].text).toBe(text);
    });
  }

  test("over REST the sentences stand alone", async () => {
    const { body } = await appliance.get("/v1/msgr/channels/?category=Наука&q=ab", mcp.key);
    expect(body).toEqual({
      category: ["Object with slug=Наука does not exist."],
      q: ["Ensure this field has at least 3 characters."],
    });
  });
});

describe("the nearest codes", () => {
  const entries = [
    { slug: "science", name: "Наука и технологии" },
    { slug: "moskva", name: "Москва" },
    { slug: "moskovskaya", name: "Московская область" },
    { slug: "tver", name: "Тверь" },
    { slug: "nizhniy-novgorod", name: "Нижний Новгород" },
  ];
  for (const [value, codes] of [
    ["science", ["science"]],
    ["Siense", ["science"]],
    ["НАУКА", ["science"]],
    ["технологии", ["science"]],
    ["наука и технологи", ["science"]],
    ["moscva", ["moskva"]],
    ["Твер", ["tver"]],
    ["новгород", ["nizhniy-novgorod"]],
    ["cheese", []],
    ["", []],
    ["x".repeat(100_000), []],
  ] as const) {
    test(`to "${value.slice(0, 20)}" are: ${codes.join(", ")}`, () => {
      expect(nearestCodes(value, entries)).toEqual([...codes]);
    });
  }
});

describe("a name", () => {
  test("of a category or territory is taken in any case, by a word of it, and so is a code in capitals", async () => {
    for (const [args, same] of [
      [{ category: "Наука и технологии" }, { category: "science" }],
      [{ category: "наука" }, { category: "science" }],
      [{ category: "SCIENCE" }, { category: "science" }],
      [{ territory: "Россия" }, { territory: "russia" }],
      [{ territory: "Москва" }, { territory: "moskva" }],
    ]) {
      for (const tool of ["msgr_channels_list", "msgr_channels_stats_retrieve"]) {
        const named = expectToolResult(await mcp.call(tool, args));
        expect(named, JSON.stringify(args)).toEqual(expectToolResult(await mcp.call(tool, same)));
      }
    }
    const below = await mcp.call("msgr_territories_list", { parent: "Россия" });
    expect(expectToolResult(below).results.length).toBeGreaterThan(5);
  });

  test("of a channel is taken if it is the only one: a title, a part of it, a handle or a link", async () => {
    await imported(appliance, "channels", [
      channel(40, { title: "Ёлки и палки", subscribers: 1 }),
      channel(41, { title: "Новости Твери", subscribers: 7 }),
      channel(42, { title: "Новости Твери сегодня", subscribers: 5 }),
    ]);
    for (const [named, id] of [
      ["елки и ПАЛКИ", 40],
      ["палки", 40],
      ["Новости Твери", 41],
      ["https://t.me/one", 1],
      ["@one", 1],
    ] as const) {
      const card = await mcp.call("msgr_channels_retrieve", { channel: named });
      expect([named, expectToolResult(card).id]).toEqual([named, id]);
      for (const tool of ["msgr_channels_compare_list", "msgr_stats_daily_list"]) {
        expectToolResult(await mcp.call(tool, { channels: [named, 2] }), `${tool} ${named}`);
      }
    }
    const days = { from: "2026-01-01", to: "2026-02-28" };
    const { results } = expectToolResult(
      await mcp.call("msgr_stats_daily_list", { channels: "@one", ...days }),
    );
    expect(results).toHaveLength(2);
  });

  test("of an unknown handle is no part of another channel's title or handle", async () => {
    await imported(appliance, "channels", [
      channel(45, { handle: "durov_fans", title: "Fans of durov" }),
    ]);
    const nearest = 'Nearest titles: "Fans of durov" is 45.';
    for (const named of ["@durov", "durov"]) {
      const answer = await mcp.call("msgr_channels_retrieve", { channel: named });
      expectToolError(answer, "404 not_found: The channel was not found.");
      expect(answer.body.result.content[0].text).toEndWith(nearest);
    }
  });

  test("with a zero character are refused as over REST, and cause no server error", async () => {
    for (const tool of ["msgr_channels_retrieve", "msgr_channels_similar_list"]) {
      const answer = await mcp.call(tool, { channel: "a\0b" });
      expectToolError(answer, "404 not_found: ", tool);
    }
    for (const tool of ["msgr_channels_compare_list", "msgr_stats_daily_list"]) {
      const answer = await mcp.call(tool, { channels: ["one", "a\0b"] });
      expectToolError(answer, "400 invalid: channels: ", tool);
    }
  });

  test("are not searched for in a list that is too long", async () => {
    const channels = Array.from({ length: 101 }, (_, at) => `название ${at}`);
    const answer = await mcp.call("msgr_stats_daily_list", { channels });
    expect(answer.body.result.isError).toBe(true);
    expect(answer.body.result.content[0].text).not.toContain("название");
  });

  test("that may mean several is answered with the three nearest, and nothing is charged", async () => {
    await imported(
      appliance,
      "channels",
      [50, 51, 52, 53].map((id) => channel(id, { title: `Погода ${id}`, subscribers: id })),
    );
    const text = "404 not_found: The channel was not found.";
    const nearest = 'Nearest titles: "Погода 53" is 53, "Погода 52" is 52, "Погода 51" is 51.';
    const answer = await mcp.call("msgr_channels_posts_retrieve", { channel: "погода" });
    expectToolError(answer, text);
    expect(answer.body.result.content[0].text).toEndWith(nearest);
    const compared = await mcp.call("msgr_channels_compare_list", { channels: "one,погода" });
    expectToolError(compared, "400 invalid: channels: There is no channel погода.");
    expect(compared.body.result.content[0].text).toEndWith(nearest);
    await mcp.call("msgr_channels_list", { category: "nothing" });
    await mcp.call("msgr_channels_retrieve", { channel: "no such title" });
    expect(await mcp.used()).toBe(0);
    expect((await mcp.usage())["msgr_channels_retrieve"]).toMatchObject({ requests: 1, units: 0 });
  });
});

describe("tolerated input", () => {
  test("null for an optional argument counts as not given", async () => {
    const args = { q: null, category: null, limit: null, cursor: null, fields: null, ids: null };
    expect(expectToolResult(await mcp.call("msgr_channels_list", args))).toEqual(
      expectToolResult(await mcp.call("msgr_channels_list")),
    );
  });

  test("a channel can be given by number, as digits, by handle and by @handle", async () => {
    for (const named of [1, "1", "one", "@one", "@ONE"]) {
      const card = await mcp.call("msgr_channels_retrieve", { channel: named });
      expect(expectToolResult(card).id, String(named)).toBe(1);
      const posts = await mcp.call("msgr_channels_posts_retrieve", { channel: named, limit: 3 });
      expect(expectToolResult(posts).results, String(named)).toHaveLength(3);
    }
  });

  test("lists of numbers and fields can be JSON arrays", async () => {
    const cards = await mcp.call("msgr_channels_list", { ids: [3, 1], fields: ["id", "title"] });
    expect(expectToolResult(cards)).toEqual({
      results: [
        { id: 3, title: "Channel 3" },
        { id: 1, title: "Channel 1" },
      ],
      next: null,
    });
    const args = { channels: [1, "2"], from: "2026-01-01", to: "2026-02-28" };
    expect(expectToolResult(await mcp.call("msgr_stats_daily_list", args)).results).toHaveLength(2);
  });
});

test("an @ before anything but a channel stays: in a search of posts it stands for a handle", async () => {
  const at = { channel: 3, published_at: "2026-11-19T10:00:00Z" };
  await imported(appliance, "posts", [
    { id: 20, text: "by @somebody", ...at },
    { id: 21, text: "by somebody", ...at },
  ]);
  const found = await mcp.call("msgr_posts_search_list", { q: "@somebody" });
  expect(expectToolResult(found).results).toMatchObject([{ id: 20 }]);
});

describe("the next page", () => {
  test("is described in the note as the call that returns it", async () => {
    for (const [tool, args, path] of [
      ["msgr_channels_list", { limit: 1 }, "/v1/msgr/channels/?limit=1"],
      [
        "msgr_channels_posts_retrieve",
        { channel: "@one", limit: 1 },
        "/v1/msgr/channels/one/posts/?limit=1",
      ],
    ] as const) {
      const first = await mcp.call(tool, args);
      const { next: cursor } = expectToolResult(first);
      expect(noteOf(first)).toBe(
        `For more call ${tool} with \`next\` as \`cursor\` and nothing else.`,
      );
      const { pathname, search } = new URL((await appliance.get(path, mcp.key)).body.next);
      const { body } = await appliance.get(pathname + search, mcp.key);
      for (const ways of [{ limit: null, cursor }, { cursor }, { ...args, cursor }]) {
        const { results } = expectToolResult(await mcp.call(tool, ways));
        expect(results, JSON.stringify(ways)).toEqual(body.results);
      }
    }
  });

  test("is mentioned only if there is one", async () => {
    const whole = await mcp.call("msgr_channels_list", { limit: 100 });
    expect(expectToolResult(whole).next).toBeNull();
    expect(noteOf(whole)).toBeUndefined();
    // A post may contain what the address of a next page looks like.
    const text = '"next":"https://example.com/?cursor=abc"';
    await imported(appliance, "posts", [
      { id: 9, channel: 2, text, published_at: "2026-11-19T10:00:00Z" },
    ]);
    const posts = await mcp.call("msgr_channels_posts_retrieve", { channel: 2 });
    expect(expectToolResult(posts).results).toMatchObject([{ text }]);
    expect(noteOf(posts)).toBeUndefined();
  });

  test("is refused if a filter differs from the cursor's, naming the filter", async () => {
    const { next } = expectToolResult(await mcp.call("msgr_channels_list", { limit: 1 }));
    expectToolError(
      await mcp.call("msgr_channels_list", { cursor: next, category: "science" }),
      "400 invalid: cursor: The cursor was made with another category: ",
    );
    const posts = expectToolResult(
      await mcp.call("msgr_channels_posts_retrieve", { channel: 1, limit: 1 }),
    );
    expectToolError(
      await mcp.call("msgr_channels_posts_retrieve", { channel: 2, cursor: posts.next }),
      "400 invalid: cursor: The cursor was made with another channel: ",
    );
  });
});

describe("an empty answer of statistics explains", () => {
  for (const [what, args, note] of [
    [
      "a channel that does not exist",
      { channels: "77" },
      "No readings in this period. There is no channel 77: msgr_channels_list and msgr_channels_resolve_retrieve give numbers.",
    ],
    [
      "a channel without any reading",
      { channels: [2] },
      "No readings in this period. Channel 2 has no readings at all.",
    ],
    [
      "a channel with readings of other days",
      { channels: 1 },
      "No readings in this period. The readings of channel 1 go from 2026-01-05 until 2026-02-07.",
    ],
    [
      "each of several channels",
      { channels: "3,1" },
      "No readings in this period. Channel 3 has no readings at all. The readings of channel 1 go from 2026-01-05 until 2026-02-07.",
    ],
  ] as const) {
    test(what, async () => {
      const answer = await mcp.call("msgr_stats_daily_list", { ...args });
      expect(expectToolResult(answer)).toEqual({ results: [], note });
    });
  }

  test("the first twenty of many channels, and how many more there are", async () => {
    const channels = Array.from({ length: 50 }, (_, at) => 1_000 + at);
    const answer = await mcp.call("msgr_stats_daily_list", { channels });
    expect(noteOf(answer)).toEndWith(" And 30 more channels.");
  });

  test("nothing if it is not empty", async () => {
    const args = { channels: "1,77", from: "2026-01-01", to: "2026-01-31" };
    const answer = await mcp.call("msgr_stats_daily_list", args);
    expect(expectToolResult(answer).results).toHaveLength(1);
    expect(noteOf(answer)).toBeUndefined();
  });
});
