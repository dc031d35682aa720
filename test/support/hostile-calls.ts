import fc from "fast-check";
import { type HostileRequest, type Known, mostly, objectOf } from "./hostile-requests.ts";
import { deepJson, hostileJson, hostileText, type ValueSchema } from "./hostile-values.ts";

export interface Tool {
  name: string;
  description: string;
  inputSchema: ValueSchema;
  outputSchema: object;
}

/** POSTs to the MCP server: calls of every tool, valid ones and ones with any part broken. */
export function hostileCalls(
  tools: readonly Tool[],
  known: Known,
  keys: readonly string[],
): fc.Arbitrary<HostileRequest> {
  const call = fc.constantFrom(...tools).chain(({ name, inputSchema }) =>
    message(
      fc.constant("tools/call"),
      fc.record({
        name: mostly(fc.constant(name), fc.oneof(hostileText, hostileJson), 15),
        arguments: mostly(
          fc.oneof(
            { weight: 4, arbitrary: objectOf(inputSchema, known) },
            { weight: 1, arbitrary: objectOf(requiredOf(inputSchema), known) },
          ),
          hostileJson,
          12,
        ),
      }),
    ),
  );
  const method = fc.oneof(
    fc.constantFrom("initialize", "ping", "tools/list", "server/discover", "resources/list"),
    hostileText,
  );
  const body = fc.oneof(
    { weight: 8, arbitrary: call.map((of) => JSON.stringify(of)) },
    { weight: 2, arbitrary: message(method, hostileJson).map((of) => JSON.stringify(of)) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        hostileJson.map((of) => JSON.stringify(of)),
        deepJson,
      ),
    },
    { weight: 1, arbitrary: hostileText },
  );
  return fc.record({
    verb: mostly(fc.constant("POST"), fc.constantFrom("GET", "DELETE", "HEAD"), 30),
    target: mostly(fc.constant("/v1/mcp/"), fc.constant("/v1/mcp"), 5),
    headers: mostly(
      fc.constant<string[]>([]),
      fc.constantFrom<string[][]>(
        ["MCP-Protocol-Version: 2025-11-25"],
        ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: me_retrieve"],
        ["MCP-Protocol-Version: 1", "Mcp-Session-Id: x"],
        ["Origin: https://evil.example"],
      ),
      5,
    ),
    body,
    isChunked: fc.constant(false),
    key: mostly(fc.constant(keys[0] ?? ""), fc.constantFrom(...keys), 4),
  });
}

/** The schema without optional properties: among many arguments, one would nearly always be broken. */
function requiredOf({ properties = {}, required = [], ...schema }: ValueSchema): ValueSchema {
  const pairs = Object.entries(properties).filter(([name]) => required.includes(name));
  return { ...schema, required, properties: Object.fromEntries(pairs) };
}

function message(
  method: fc.Arbitrary<string>,
  params: fc.Arbitrary<unknown>,
): fc.Arbitrary<object> {
  return fc.record(
    {
      jsonrpc: mostly(fc.constant<unknown>("2.0"), hostileJson, 20),
      id: mostly(fc.integer({ min: 0, max: 99 }) as fc.Arbitrary<unknown>, hostileJson, 8),
      method: mostly(method as fc.Arbitrary<unknown>, hostileJson, 30),
      params,
    },
    { requiredKeys: ["method"] },
  );
}
