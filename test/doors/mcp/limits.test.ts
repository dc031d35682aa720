import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import {
  expectToolError,
  expectToolResult,
  type McpRequests,
  mcpRequests,
  TOOL_NAMES,
} from "../../support/mcp-requests.ts";

/** Rate and quota over MCP, which are shared with REST and count the same units. */

const PER_SECOND = 5;
const CARD = ["msgr_channels_retrieve", { channel: "1" }] as const;

let appliance: Appliance;
let mcp: McpRequests;

async function start(ratesAsShipped: boolean): Promise<void> {
  appliance = await startAppliance({}, fakePorts(), { ratesAsShipped });
  await imported(appliance, "channels", [channel(1)]);
  mcp = mcpRequests(appliance, (await appliance.customer({ plan: "start" })).key);
}

afterEach(() => appliance.close());

describe("the rate", () => {
  /** Waits of calls, in milliseconds; none ends before `goOn` is called. */
  let waits: number[];
  let endWaits: () => void;
  let firstWait: Promise<void>;

  beforeEach(async () => {
    await start(true);
    const { clock } = appliance.ports;
    waits = [];
    const ended = new Promise<void>((resolve) => {
      endWaits = resolve;
    });
    firstWait = new Promise<void>((resolve) => {
      clock.sleep = (durationMs) => {
        waits.push(durationMs);
        resolve();
        return ended;
      };
    });
  });

  async function exhaust(): Promise<void> {
    for (let count = 0; count < PER_SECOND; count++) expectToolResult(await mcp.call(...CARD));
  }

  test("counts every tool call once, whatever its outcome, and nothing else", async () => {
    const left = async (body: string) => {
      const { headers } = await mcp.post(body);
      return Number(/"rate";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    };
    for (const [body, expected] of [
      ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}', PER_SECOND],
      ['{"jsonrpc":"2.0","method":"notifications/initialized"}', PER_SECOND],
      ['{"jsonrpc":"2.0","method":"tools/call","params":{"name":"me_retrieve"}}', PER_SECOND],
      ["{", PER_SECOND],
      [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"me_retrieve"}}',
        PER_SECOND - 1,
      ],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}', PER_SECOND - 2],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call"}', PER_SECOND - 3],
      ['{"jsonrpc":"2.0","id":1,"method":"ping"}', PER_SECOND - 3],
    ] as const) {
      expect(await left(body), body).toBe(expected);
    }
  });

  test("is shared with REST", async () => {
    await exhaust();
    expect((await appliance.request("/v1/me/", { key: mcp.key })).status).toBe(429);
    appliance.ports.clock.advance(1_000);
    for (let count = 0; count < PER_SECOND; count++) {
      expect((await appliance.request("/v1/me/", { key: mcp.key })).status).toBe(200);
    }
    const called = mcp.call(...CARD);
    await firstWait;
    expect(waits).toEqual([1_000 / PER_SECOND]);
    endWaits();
    expectToolResult(await called);
  });

  test("makes calls wait when used up, at most ten per organization, for at most two seconds", async () => {
    await exhaust();
    const calls = Array.from({ length: 10 }, () => mcp.call(...CARD));
    const surplus = await mcp.call(...CARD);
    expectToolError(
      surplus,
      "429 rate_limited: The plan allows 5 requests per second. Try again in ",
    );
    expect(waits.map(Math.round)).toEqual(Array.from({ length: 10 }, (_, at) => (at + 1) * 200));
    const other = mcpRequests(appliance, (await appliance.customer({ plan: "start" })).key);
    for (let count = 0; count < PER_SECOND; count++) expectToolResult(await other.call(...CARD));
    endWaits();
    for (const answer of await Promise.all(calls)) expect(expectToolResult(answer).id).toBe(1);
    appliance.ports.clock.advance(10_000);
    expect(await mcp.used()).toBe(PER_SECOND + 10);
  });

  test("refuses a call that would wait more than two seconds, saying when to retry, and costs nothing", async () => {
    const { key } = await appliance.customer({ plan: "test" });
    const client = mcpRequests(appliance, key);
    const calls = Array.from({ length: 2 + 4 }, () => client.call(...CARD));
    const refused = await client.call(...CARD);
    expectToolError(refused, "429 rate_limited: ");
    expect(refused.body.result.content[0].text).toBe(
      "429 rate_limited: The plan allows 2 requests per second. Try again in 1 second.",
    );
    expect(refused.body.id).toBe(1);
    expect(refused.headers.get("x-request-cost")).toBe("0");
    expect(waits).toEqual([500, 1_000, 1_500, 2_000]);
    endWaits();
    for (const answer of await Promise.all(calls)) expectToolResult(answer);
    appliance.ports.clock.advance(10_000);
    expect(await client.used()).toBe(2 + 4);
  });

  test("is refilled while calls wait, and waiting calls use it", async () => {
    await exhaust();
    const waiting = mcp.call(...CARD);
    appliance.ports.clock.advance(400);
    endWaits();
    expectToolResult(await waiting);
    // 400 ms bring two requests, and the waiting call was one of them.
    expect((await appliance.request("/v1/me/", { key: mcp.key })).status).toBe(200);
    expect((await appliance.request("/v1/me/", { key: mcp.key })).status).toBe(429);
  });

  test("does not make a call slow in the log, however long the call waits for it", async () => {
    await exhaust();
    const waiting = mcp.call(...CARD);
    await firstWait;
    appliance.ports.clock.advance(1_900);
    endWaits();
    expectToolResult(await waiting);
    const slow = appliance.ports.log.notices.filter(({ message }) => /slow/.test(message));
    expect(slow).toEqual([]);
  });

  test("refuses calls of the modern era with the same text", async () => {
    const { key } = await appliance.customer({ plan: "test" });
    const client = mcpRequests(appliance, key);
    const [name, args] = CARD;
    const calls = Array.from({ length: 2 + 4 }, () => client.call(...CARD));
    const answer = await client.modern("tools/call", { name, arguments: args });
    expectToolError(answer, "429 rate_limited: ");
    expect(answer.body.result.resultType).toBe("complete");
    endWaits();
    await Promise.all(calls);
  });

  test("records a refused call in the usage under its method, as over REST", async () => {
    const { key } = await appliance.customer({ plan: "start" });
    for (let count = 0; count < PER_SECOND; count++) await appliance.request("/v1/me/", { key });
    await appliance.request("/v1/msgr/channels/1/", { key });
    const calls = Array.from({ length: PER_SECOND + 10 }, () => mcp.call("me_retrieve"));
    await mcp.call(...CARD);
    endWaits();
    await Promise.all(calls);
    appliance.ports.clock.advance(10_000);
    const { msgr_channels_retrieve: overRest } = await mcpRequests(appliance, key).usage();
    expect(overRest).toEqual({ requests: 1, units: 0 });
    expect(await mcp.usage()).toMatchObject({ msgr_channels_retrieve: overRest });
  });
});

describe("the protocol's own messages", () => {
  const BURST = 60;
  const MESSAGES_PER_SECOND = 20;
  beforeEach(() => start(true));

  async function exhaustMessages(): Promise<void> {
    for (let count = 0; count < BURST; count++) {
      expect((await mcp.ask("ping")).status).toBe(200);
    }
  }

  test("do not count against the rate of the smallest plan", async () => {
    const { key } = await appliance.customer({ plan: "test" });
    const client = mcpRequests(appliance, key);
    for (let count = 0; count < 5; count++) {
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} };
      expect((await client.ask("initialize", params)).status).toBe(200);
      const notified = await client.post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
      expect(notified.status).toBe(202);
      expect((await appliance.request("/v1/mcp/", { key })).status).toBe(405);
      expect((await client.ask("tools/list")).body.result.tools).toHaveLength(TOOL_NAMES.length);
      expect((await client.modern("server/discover")).status).toBe(200);
    }
    expectToolResult(await client.call("me_retrieve"));
    expectToolResult(await client.call("me_retrieve"));
    expect((await appliance.request("/v1/me/", { key })).status).toBe(429);
  });

  for (const method of ["initialize", "ping", "tools/list", "nope"]) {
    test(`are an HTTP 429 with their id and the time to wait beyond 20 a second and 60 at once: ${method}`, async () => {
      await exhaustMessages();
      const { status, headers, body } = await mcp.post(
        JSON.stringify({ jsonrpc: "2.0", id: "of mine", method, params: {} }),
      );
      expect(status).toBe(429);
      expect(headers.get("content-type")).toStartWith("application/json");
      expect(headers.get("retry-after")).toBe("1");
      expect(body).toEqual({
        jsonrpc: "2.0",
        id: "of mine",
        error: {
          code: -32000,
          message:
            "429 rate_limited: An organization may send 20 protocol messages per second. Try again in 1 second.",
        },
      });
    });
  }

  test("are refused with id null if they have none or are not JSON", async () => {
    await exhaustMessages();
    for (const body of ['{"jsonrpc":"2.0","method":"notifications/initialized"}', "{"]) {
      const answer = await mcp.post(body);
      expect([answer.status, answer.body.id]).toEqual([429, null]);
    }
  });

  test("are allowed again at 20 a second", async () => {
    await exhaustMessages();
    appliance.ports.clock.advance(500);
    const statuses: number[] = [];
    for (let count = 0; count < MESSAGES_PER_SECOND; count++) {
      statuses.push((await mcp.ask("ping")).status);
    }
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(10).fill(429)]);
  });

  test("are limited per organization, without affecting its tool calls or REST", async () => {
    await exhaustMessages();
    expect((await mcp.modern("tools/list")).status).toBe(429);
    expectToolResult(await mcp.call(...CARD));
    expect((await appliance.request("/v1/me/", { key: mcp.key })).status).toBe(200);
    const { key } = await appliance.customer({ plan: "test" });
    expect((await mcpRequests(appliance, key).ask("ping")).status).toBe(200);
  });

  for (const verb of ["GET", "DELETE", "PUT"]) {
    test(`and the plan's rate used up, ${verb} is still a 405 at once`, async () => {
      await exhaustMessages();
      for (let count = 0; count < PER_SECOND; count++) {
        await appliance.request("/v1/me/", { key: mcp.key });
      }
      expect((await appliance.request("/v1/me/", { key: mcp.key })).status).toBe(429);
      const { status, headers } = await appliance.request("/v1/mcp/", {
        key: mcp.key,
        method: verb,
      });
      expect([status, headers.get("allow")]).toEqual([405, "POST"]);
    });
  }

  test("cost nothing, and are in the usage as mcp", async () => {
    await mcp.ask("ping");
    await mcp.ask("tools/list");
    expect(await mcp.usage()).toMatchObject({ mcp: { requests: 2, units: 0 } });
  });
});

describe("the quota", () => {
  beforeEach(() => start(false));

  const quota = (units: number) =>
    appliance.app.domains.accounts.changePlan("start", { requestsPerPeriod: units }, COMMAND_LINE);

  test("refuses billed calls in the result when used up, but not free tools and protocol methods", async () => {
    await quota(2);
    expectToolResult(await mcp.call(...CARD));
    expectToolError(await mcp.call("msgr_channels_retrieve", { channel: "99" }), "404 not_found: ");
    const refused = await mcp.call(...CARD);
    expectToolError(refused, "429 quota_exceeded: ");
    expect(refused.body.result.content[0].text).toBe(
      "429 quota_exceeded: The 2 requests of the period have run out. New ones are available from 2026-12-20T12:00:00+03:00 on.",
    );
    expect(refused.headers.get("x-request-cost")).toBe("0");
    for (const name of ["me_retrieve", "msgr_categories_list", "msgr_territories_list"]) {
      expectToolResult(await mcp.call(name), name);
    }
    for (const method of ["ping", "tools/list"]) {
      expect((await mcp.ask(method)).status, method).toBe(200);
    }
    expect(await mcp.used()).toBe(2);
  });

  test("is checked after the shape of a call and before its values", async () => {
    await quota(1);
    await mcp.call(...CARD);
    expectToolError(await mcp.call("msgr_channels_list", { kind: "x" }), "429 quota_exceeded: ");
    expect((await mcp.call("msgr_channels_list", { x: 1 })).body.error.code).toBe(-32602);
  });

  test("is shared by REST and MCP, and never exceeded by concurrent calls", async () => {
    await quota(40);
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        if (index % 2 === 0) return (await mcp.call(...CARD)).body.result.isError === false;
        return (await appliance.request("/v1/msgr/channels/1/", { key: mcp.key })).status === 200;
      }),
    );
    expect(answers.filter((isGiven) => isGiven)).toHaveLength(40);
    expect(await mcp.used()).toBe(40);
  });
});
