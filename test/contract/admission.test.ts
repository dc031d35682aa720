import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Appliance, type Customer, startAppliance } from "../support/appliance.ts";
import { channel, imported } from "../support/expectations.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { mcpRequests } from "../support/mcp-requests.ts";

/**
 * A request is checked and charged in one way, and its limits are reported in one way, through whichever
 * door it comes.
 */

const LIMIT_HEADERS = ["x-request-cost", "ratelimit-policy", "ratelimit"];

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance({}, fakePorts(), { ratesAsShipped: true });
  await imported(appliance, "channels", [channel(1)]);
});
afterEach(() => appliance.close());

interface Judged {
  status: number;
  code: string | null;
  limits: (string | null)[];
}

const limitsOf = (headers: Headers) => LIMIT_HEADERS.map((name) => headers.get(name));

async function overRest(path: string, { key }: Customer): Promise<Judged> {
  const { status, body, headers } = await appliance.request(path, { key });
  return { status, code: status < 400 ? null : (body.code ?? null), limits: limitsOf(headers) };
}

async function overMcp(name: string, args: object, { key }: Customer): Promise<Judged> {
  const { body, headers } = await mcpRequests(appliance, key).call(name, { ...args });
  const { isError, content } = body.result;
  const [, status = "200", code = null] = isError
    ? (/^(\d+) (\w+):/.exec(content[0].text) ?? [])
    : [];
  // Over REST, faults of arguments are listed by their names, without a code.
  return {
    status: Number(status),
    code: code === "invalid" ? null : code,
    limits: limitsOf(headers),
  };
}

describe("REST and MCP treat a request in the same way", () => {
  const calls = [
    ["msgr_channels_retrieve", { channel: "1" }, "/v1/msgr/channels/1/", 200, "1"],
    ["msgr_channels_retrieve", { channel: "2" }, "/v1/msgr/channels/2/", 404, "1"],
    ["msgr_channels_list", { q: "a" }, "/v1/msgr/channels/?q=a", 400, "1"],
    ["msgr_posts_retrieve", { id: 1 }, "/v1/msgr/posts/1/", 403, "0"],
    ["me_retrieve", {}, "/v1/me/", 200, "0"],
  ] as const;

  for (const [name, args, path, status, cost] of calls) {
    test(`that is answered ${status}: ${path}`, async () => {
      const rest = await overRest(path, await appliance.customer({ plan: "test" }));
      const mcp = await overMcp(name, args, await appliance.customer({ plan: "test" }));
      expect(rest).toMatchObject({
        status,
        limits: [cost, expect.any(String), expect.any(String)],
      });
      expect(mcp).toEqual(rest);
    });
  }

  test("that exceeds the rate", async () => {
    const [ofRest, ofMcp] = [
      await appliance.customer({ plan: "test" }),
      await appliance.customer({ plan: "test" }),
    ];
    for (let count = 0; count < 2; count++) await overRest("/v1/me/", ofRest);
    // Calls of tools wait for the rate, up to two seconds.
    for (let count = 0; count < 2 + 4; count++) await overMcp("me_retrieve", {}, ofMcp);
    const rest = await overRest("/v1/msgr/channels/1/", ofRest);
    expect(rest).toMatchObject({ status: 429, code: "rate_limited" });
    const mcp = await overMcp("msgr_channels_retrieve", { channel: "1" }, ofMcp);
    const [cost, policy, left] = mcp.limits;
    expect({ ...mcp, limits: [cost, policy] }).toEqual({
      ...rest,
      limits: rest.limits.slice(0, 2),
    });
    expect(left).toStartWith('"rate";r=0;');
  });
});
