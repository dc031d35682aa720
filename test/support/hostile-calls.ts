import fc from "fast-check";
import { type HostileRequest, type Known, mostly, objectOf } from "./hostile-requests.ts";
import { deepJson, hostileJson, hostileText, type ValueSchema } from "./hostile-values.ts";
import { MODERN_META, MODERN_VERSION } from "./mcp-requests.ts";

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
            { weight: 1, arbitrary: objectOf(inputSchema, knownTo(name, known)) },
            { weight: 1, arbitrary: objectOf(requiredOf(inputSchema), knownTo(name, known)) },
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
  const sound = fc.oneof(
    { weight: 8, arbitrary: call },
    { weight: 2, arbitrary: message(method, hostileJson) },
  );
  const broken = fc.oneof(jsonText(hostileJson), deepJson, { weight: 2, arbitrary: hostileText });
  const sent = fc.oneof(
    { weight: 5, arbitrary: sound.map((of) => ({ body: JSON.stringify(of), headers: [] })) },
    { weight: 5, arbitrary: sound.map(inModernEra) },
    { weight: 2, arbitrary: fc.record({ body: broken, headers: someHeaders }) },
  );
  return fc
    .record({
      verb: mostly(fc.constant("POST"), fc.constantFrom("GET", "DELETE", "HEAD"), 30),
      target: mostly(fc.constant("/v1/mcp/"), fc.constant("/v1/mcp"), 5),
      sent,
      more: mostly(fc.constant<string[]>([]), someHeaders, 8),
      isChunked: fc.constant(false),
      key: mostly(fc.constant(keys[0] ?? ""), fc.constantFrom(...keys), 4),
    })
    .map(({ sent: { body, headers }, more, ...request }) => {
      return { ...request, body, headers: [...headers, ...more] };
    });
}

const someHeaders = fc.constantFrom<string[][]>(
  [],
  ["MCP-Protocol-Version: 2025-11-25"],
  [`MCP-Protocol-Version: ${MODERN_VERSION}`, "Mcp-Method: tools/call", "Mcp-Name: me_retrieve"],
  ["MCP-Protocol-Version: 1", "Mcp-Session-Id: x"],
  ["Origin: https://evil.example"],
);

/** A message as a client of the modern era sends it: its headers repeat what the body says. */
function inModernEra(of: object): { body: string; headers: string[] } {
  const { method, params } = of as { method?: unknown; params?: unknown };
  const isObject = typeof params === "object" && params !== null && !Array.isArray(params);
  const { name } = Object(params) as { name?: unknown };
  const body = isObject ? { ...of, params: { ...params, _meta: MODERN_META } } : of;
  return {
    body: JSON.stringify(body),
    headers: [
      `MCP-Protocol-Version: ${MODERN_VERSION}`,
      ...headerOf("Mcp-Method", method),
      ...headerOf("Mcp-Name", name),
    ],
  };
}

function headerOf(header: string, value: unknown): string[] {
  return typeof value === "string" && /^[\x20-\x7e]+$/.test(value) ? [`${header}: ${value}`] : [];
}

function jsonText(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return value.map((of) => JSON.stringify(of));
}

/** Known values with those of a tool in place of others of the same name. */
function knownTo(tool: string, known: Known): Known {
  const own = Object.entries(known).filter(([name]) => name.startsWith(`${tool} `));
  return {
    ...known,
    ...Object.fromEntries(own.map(([name, values]) => [name.slice(tool.length + 1), values])),
  };
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
