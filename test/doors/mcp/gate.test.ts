import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PLAN_CODES, type PlanCode } from "../../../src/customers/accounts/plan.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { contract, toolCalls, VALUES } from "../../support/contract.ts";
import { channel, imported } from "../../support/expectations.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import { aiSdkOverHttp, clientKinds, type McpClient, textOf } from "../../support/mcp-clients.ts";
import { TOOL_NAMES } from "../../support/mcp-requests.ts";

/** Real clients connect to a real listener on every plan, with the plans' default rates. */

const CLIENTS: [name: string, connect: (address: string, key: string) => Promise<McpClient>][] = [
  ...clientKinds.map(({ name, overHttp }) => [name, overHttp] as [string, typeof overHttp]),
  ["the AI SDK's client", aiSdkOverHttp],
];

/** Plans that include a tool. */
const plansOf = (tool: string): readonly string[] =>
  contract.methods.find(({ operation }) => operation === tool)?.plans ?? [];

let appliance: Appliance;
let address: string;

beforeAll(async () => {
  const ports = fakePorts();
  const { clock } = ports;
  // Waits advance the fake clock by their duration, and take no real time.
  clock.sleep = async (durationMs) => {
    const endMs = clock.now() + durationMs;
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(Math.max(0, endMs - clock.now()));
  };
  appliance = await startAppliance({ KANALOG_PORT: "0" }, ports, { ratesAsShipped: true });
  await imported(appliance, "channels", [channel(1, { handle: "one" }), channel(2)]);
  await imported(appliance, "posts", [
    { id: 1, channel: 1, text: "One", published_at: "2026-11-19T10:00:00+03:00" },
  ]);
  await imported(appliance, "stats", [{ channel: 1, day: "2026-11-19", subscribers: 5 }]);
  address = `${appliance.app.listen()}/v1/mcp/`;
});

afterAll(() => appliance.close());

async function keyOn(plan: PlanCode): Promise<string> {
  return (await appliance.customer({ plan })).key;
}

for (const plan of PLAN_CODES) {
  describe(`on the plan ${plan}`, () => {
    for (const [name, connect] of CLIENTS) {
      test(`${name} connects, lists the tools and calls each once`, async () => {
        const client = await connect(address, await keyOn(plan));
        expect((await client.tools()).map((tool) => tool.name)).toEqual(TOOL_NAMES);
        for (const [tool, args] of toolCalls(VALUES)) {
          const result = await client.call(tool, args);
          if (!plansOf(tool).includes(plan)) {
            expect(textOf(result)).toStartWith("403 tariff_required: ");
          } else {
            expect(result.isError ?? false, `${tool}: ${textOf(result)}`).toBe(false);
          }
        }
        expect(client.complaints).toEqual([]);
        await client.close();
      });

      test(`${name} makes five calls at once right after connecting`, async () => {
        const client = await connect(address, await keyOn(plan));
        const calls = Array.from({ length: 5 }, () =>
          client.call("msgr_channels_retrieve", { channel: "one" }),
        );
        for (const result of await Promise.all(calls)) {
          expect(result.structuredContent?.id, textOf(result)).toBe(1);
        }
        await client.close();
      });
    }
  });
}
