import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { makeTrends } from "../../src/catalog/trends/make-trends.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { contract, methodNamed, requestOf, VALUES } from "../support/contract.ts";
import { channel, imported } from "../support/expectations.ts";
import { mcpRequests } from "../support/mcp-requests.ts";

/** `fields`: only some fields of every list and card, over REST and MCP (questions, section 6). */

let appliance: Appliance;
let key: string;
let webhook: number;

beforeAll(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { handle: "one", subscribers: 9, category: "science" }),
    channel(2, { subscribers: 5, category: "science" }),
  ]);
  await imported(
    appliance,
    "posts",
    [1, 2].map((id) => ({ id, channel: 1, text: "Word", published_at: "2026-11-19T10:00:00Z" })),
  );
  await imported(
    appliance,
    "posts",
    [3, 4].map((id) => ({ id, channel: 2, text: "@one", published_at: "2026-11-19T10:00:00Z" })),
  );
  // A word that rises: five channels have it today, and none had it ten days ago.
  const rising = [11, 12, 13, 14, 15, 16];
  await imported(
    appliance,
    "channels",
    rising.map((id) => channel(id, { subscribers: 1 })),
  );
  await imported(
    appliance,
    "posts",
    rising.flatMap((id) => [
      { id, channel: id, text: "Flood", published_at: "2026-11-20T08:00:00Z" },
      { id: id + 10, channel: id, text: "Usual", published_at: "2026-11-10T08:00:00Z" },
    ]),
  );
  await makeTrends(appliance.app.domains.db, appliance.ports.clock);
  await imported(appliance, "stats", [{ channel: 1, day: "2026-11-19", subscribers: 5 }]);
  key = (await appliance.customer({ access: "read_write" })).key;
  const made = await appliance.request("/v1/msgr/webhooks/", {
    key,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: "https://example.com/hook", channels: [1] }),
  });
  webhook = made.body.id;
  await appliance.request(`/v1/msgr/webhooks/${webhook}/test/`, { key, method: "POST" });
  await appliance.request("/v1/msgr/alerts/", {
    key,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "A", q: "word", webhook }),
  });
  await appliance.request("/v1/msgr/lists/", {
    key,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "A", query: "kind=channel" }),
  });
});

afterAll(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

/** Each list and card: a call of it, and two of its fields. */
const NARROWED: [address: string, fields: readonly [string, string]][] = [
  ...contract.methods.flatMap(({ operation, fields }) => {
    if (fields === undefined) return [];
    const values = { ...VALUES, id: { ...VALUES.id, webhooks: 1, alerts: 1, lists: 1 } };
    const { path } = requestOf(methodNamed(operation), values);
    return [[path, [fields[0], fields[1]]] as [string, [string, string]]];
  }),
  ["/v1/msgr/channels/?ids=2,1", ["title", "subscribers"]],
];

test("every list and card accepts `fields`", () => {
  // The other methods that read return the account or files, which are neither.
  const others = contract.methods.filter(({ verb, fields }) => verb === "GET" && !fields);
  expect(
    others.filter(({ answer }) => answer.length > 0).map(({ operation }) => operation),
  ).toEqual(["me_retrieve"]);
});

describe("over REST", () => {
  for (const [address, fields] of NARROWED) {
    const withFields = (names: string) =>
      `${address}${address.includes("?") ? "&" : "?"}fields=${names}`;

    test(`${address} returns only these, whatever their order and spaces`, async () => {
      const whole = (await appliance.get(address, key)).body;
      const [a, b] = fields;
      for (const names of [`${a},${b}`, `${b},%20${a},${b},`]) {
        const { status, body } = await appliance.get(withFields(names), key);
        expect(status, JSON.stringify(body)).toBe(200);
        const items: Record<string, unknown>[] = body.results ?? [body];
        const wholes: Record<string, unknown>[] = whole.results ?? [whole];
        expect(items.length).toBeGreaterThan(0);
        expect(Object.keys(body)).toEqual(Object.keys(body.results ? whole : (items[0] ?? {})));
        for (const item of items) expect(Object.keys(item).toSorted()).toEqual([a, b].toSorted());
        // Not compared, because the second answer counts the first request.
        if (address === "/v1/me/usage/") continue;
        expect(items).toEqual(
          wholes.map((item) => ({ [a]: item[a], [b]: item[b] })) as typeof items,
        );
      }
    });

    test(`${address} refuses an unknown name and lists the known ones`, async () => {
      const { status, body } = await appliance.get(withFields(`${fields[0]},nope`), key);
      expect(status).toBe(400);
      expect(body.fields[0]).toStartWith('"nope" is not a field. Fields: ');
      for (const name of fields) expect(body.fields[0]).toContain(name);
      expect(Object.keys(body)).toEqual(["fields"]);
    });

    test(`${address} returns all if none is named`, async () => {
      const whole = (await appliance.get(address, key)).body;
      const { body } = await appliance.get(withFields(""), key);
      const [first] = whole.results ?? [whole];
      const [all] = body.results ?? [body];
      expect(Object.keys(all)).toEqual(Object.keys(first));
    });
  }

  test("`next` keeps them", async () => {
    const { body } = await appliance.get("/v1/msgr/channels/?limit=1&fields=id,title", key);
    const { pathname, search, searchParams } = new URL(body.next);
    expect(searchParams.get("fields")).toBe("id,title");
    const second = await appliance.get(pathname + search, key);
    expect(second.body.results).toEqual([{ id: 2, title: "Channel 2" }]);
  });

  test("an empty list of names is a 400, and metrics are returned if they are named", async () => {
    for (const names of [",", "%20,%20,"]) {
      const { status, body } = await appliance.get(`/v1/msgr/channels/?fields=${names}`, key);
      expect([status, body], names).toEqual([400, { fields: ["This list may not be empty."] }]);
    }
    for (const path of ["channels/1/", "channels/", "channels/?ids=1"]) {
      for (const query of [
        "fields=metrics,id",
        "include=metrics&fields=id,metrics",
        "include=metrics&fields=id",
      ]) {
        const address = `/v1/msgr/${path}${path.includes("?") ? "&" : "?"}${query}`;
        const { status, body } = await appliance.get(address, key);
        expect(status, address).toBe(200);
        const [item] = body.results ?? [body];
        expect(Object.keys(item).sort(), address).toEqual(["id", "metrics"]);
        expect(item.metrics.growth_30d, address).toBeNull();
      }
    }
  });

  test("hostile names are a 400 that stays small", async () => {
    for (const names of ["__proto__", "constructor", "id;title", "%00", "%FF", "ё".repeat(2_000)]) {
      const { status, body } = await appliance.get(`/v1/msgr/channels/?fields=${names}`, key);
      expect([status, Object.keys(body)], names).toEqual([400, ["fields"]]);
      expect(JSON.stringify(body).length).toBeLessThan(4_096);
    }
  });
});

describe("over MCP", () => {
  test("each tool that returns a list or a card accepts them, as a text or a list", async () => {
    const mcp = mcpRequests(appliance, key);
    for (const [tool, args, wanted] of [
      [
        "msgr_channels_retrieve",
        { channel: 1, fields: ["id", "handle"] },
        { id: 1, handle: "one" },
      ],
      ["msgr_channels_resolve_retrieve", { q: "@one", fields: "id" }, { id: 1 }],
      [
        ...["msgr_channels_list", { ids: "2,1", fields: "id" }],
        { results: [{ id: 2 }, { id: 1 }], next: null },
      ],
      [
        ...["msgr_stats_daily_list", { channels: 1, fields: "subscribers,day" }],
        { results: [{ day: "2026-11-19", subscribers: 5 }] },
      ],
      ["msgr_posts_retrieve", { id: 1, fields: ["id", "views"] }, { id: 1, views: 0 }],
      [
        ...["msgr_territories_list", { kind: "country", parent: "russia", fields: "slug" }],
        { results: [] },
      ],
    ] as [string, Record<string, unknown>, object][]) {
      const { body } = await mcp.call(tool, args);
      expect(body.result.structuredContent, tool).toEqual(wanted);
      expect(body.result.content[0].text).toBe(JSON.stringify(wanted));
    }
  });
});

test("the OpenAPI document describes an answer with fewer fields", async () => {
  const { body } = await appliance.request("/docs/json");
  const { Channel, ChannelPart } = body.components.schemas;
  expect(Channel.required).toContain("title");
  expect(ChannelPart).toEqual({
    ...{ ...Channel, required: undefined },
    description: "With `fields`: only those",
  });
  const card = body.paths["/v1/msgr/channels/{channel}/"].get;
  expect(card.responses[200].content["application/json"].schema).toEqual({
    anyOf: [{ $ref: "#/components/schemas/Channel" }, { $ref: "#/components/schemas/ChannelPart" }],
  });
});
