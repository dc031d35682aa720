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
} from "../../support/mcp-requests.ts";

/** The rate and the quota over MCP: the same ones, with the same units, as over REST. */

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
  beforeEach(() => start(true));

  async function exhaust(): Promise<void> {
    for (let count = 0; count < PER_SECOND; count++) {
      expect((await mcp.ask("ping")).status).toBe(200);
    }
  }

  test("counts every POST once, whatever it says", async () => {
    for (const [index, body] of [
      '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"msgr_channels_retrieve","arguments":{"channel":"1"}}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      "{",
    ].entries()) {
      const { headers } = await mcp.post(body);
      expect(headers.get("ratelimit"), body).toStartWith(
        `"rate";r=${PER_SECOND - 1 - index};t=1, `,
      );
    }
    expect((await mcp.ask("ping")).status).toBe(429);
  });

  test("is the one that REST counts against", async () => {
    await exhaust();
    expect((await appliance.request("/v1/me/", { key: mcp.key })).status).toBe(429);
    appliance.ports.clock.advance(1_000);
    for (let count = 0; count < PER_SECOND; count++) {
      expect((await appliance.request("/v1/me/", { key: mcp.key })).status).toBe(200);
    }
    expect((await mcp.ask("ping")).status).toBe(429);
  });

  test("reached, a tool call is told in the result, runs nothing and costs nothing", async () => {
    await exhaust();
    const answer = await mcp.call(...CARD);
    expectToolError(answer, "429 rate_limited: ");
    expect(answer.body.id).toBe(1);
    expect(answer.headers.get("x-request-cost")).toBe("0");
    expectToolError(await mcp.call("me_retrieve"), "429 rate_limited: ");
    appliance.ports.clock.advance(1_000);
    expect(await mcp.used()).toBe(0);
  });

  for (const method of ["initialize", "ping", "tools/list", "nope"]) {
    test(`reached, ${method} is an HTTP 429 that says when to come back`, async () => {
      await exhaust();
      const { status, headers, body } = await mcp.ask(method, {});
      expect(status).toBe(429);
      expect(headers.get("content-type")).toStartWith("application/json");
      expect(headers.get("retry-after")).toBe("1");
      expect(JSON.stringify(body)).toContain("rate_limited");
    });
  }

  test("reached, a modern tool call and a modern list are told in the same ways", async () => {
    await exhaust();
    const [name, args] = CARD;
    const answer = await mcp.modern("tools/call", { name, arguments: args });
    expectToolError(answer, "429 rate_limited: ");
    expect(answer.body.result.resultType).toBe("complete");
    expect((await mcp.modern("tools/list")).status).toBe(429);
    expect((await mcp.modern("server/discover")).status).toBe(429);
  });

  test("reached, every other verb is a 429 too, and no key is still a 401", async () => {
    await exhaust();
    const { status } = await appliance.request("/v1/mcp/", { key: mcp.key });
    expect(status).toBe(429);
    expect((await appliance.request("/v1/mcp/", { method: "POST", body: "{" })).status).toBe(401);
  });

  test("reached, a call is in the usage as its method, as it is over REST", async () => {
    await exhaust();
    const { key } = await appliance.customer({ plan: "start" });
    for (let count = 0; count < PER_SECOND; count++) await appliance.request("/v1/me/", { key });
    await appliance.request("/v1/msgr/channels/1/", { key });
    await mcp.call(...CARD);
    appliance.ports.clock.advance(1_000);
    const { msgr_channels_retrieve: overRest } = await mcpRequests(appliance, key).usage();
    expect(overRest).toEqual({ requests: 1, units: 0 });
    expect(await mcp.usage()).toMatchObject({ msgr_channels_retrieve: overRest });
  });

  test("comes back with time", async () => {
    await exhaust();
    expectToolError(await mcp.call(...CARD), "429 rate_limited: ");
    appliance.ports.clock.advance(200);
    expect(expectToolResult(await mcp.call(...CARD)).id).toBe(1);
    expectToolError(await mcp.call(...CARD), "429 rate_limited: ");
  });
});

describe("the quota", () => {
  beforeEach(() => start(false));

  const quota = (units: number) =>
    appliance.app.domains.accounts.changePlan("start", { requestsPerPeriod: units }, COMMAND_LINE);

  test("run out, a billed call is told in the result; free calls and methods go on", async () => {
    await quota(2);
    expectToolResult(await mcp.call(...CARD));
    expectToolError(await mcp.call("msgr_channels_retrieve", { channel: "99" }), "404 not_found: ");
    const refused = await mcp.call(...CARD);
    expectToolError(refused, "429 quota_exceeded: ");
    expect(refused.headers.get("x-request-cost")).toBe("0");
    for (const name of ["me_retrieve", "msgr_categories_list", "msgr_territories_list"]) {
      expectToolResult(await mcp.call(name), name);
    }
    for (const method of ["ping", "tools/list"]) {
      expect((await mcp.ask(method)).status, method).toBe(200);
    }
    expect(await mcp.used()).toBe(2);
  });

  test("is looked at before the values and after the shape of a call", async () => {
    await quota(1);
    await mcp.call(...CARD);
    expectToolError(await mcp.call("msgr_channels_list", { kind: "x" }), "429 quota_exceeded: ");
    expect((await mcp.call("msgr_channels_list", { x: 1 })).body.error.code).toBe(-32602);
  });

  test("is one for REST and MCP, and is never exceeded by calls at once", async () => {
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
