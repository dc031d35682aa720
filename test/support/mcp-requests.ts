import { expect } from "bun:test";
import type { Answer, Appliance } from "./appliance.ts";

/** Revisions that begin with `initialize`, as mcp.md lists them. */
export const LEGACY_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
export const MODERN_VERSION = "2026-07-28";

/** The tools in the order of the specification, then those of questions. */
export const TOOL_NAMES = [
  "me_retrieve",
  "msgr_channels_resolve_retrieve",
  "msgr_channels_list",
  "msgr_channels_retrieve",
  "msgr_stats_daily_list",
  "msgr_channels_posts_retrieve",
  "msgr_posts_retrieve",
  "msgr_categories_list",
  "msgr_territories_list",
  "msgr_posts_search_list",
  "msgr_channels_compare_list",
  "msgr_channels_stats_retrieve",
  "msgr_channels_mentions_list",
  "msgr_channels_similar_list",
];

/** What a modern request carries in `params`. */
export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Json = Record<string, unknown>;

/** A client that sends what it is told to, sound or not. */
export interface McpRequests {
  key: string;
  /** A POST of these very bytes. */
  post(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Answer>;
  /** A legacy request with id 1. */
  ask(method: string, params?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A legacy tool call; its arguments as JSON text where they cannot be written as a value. */
  call(name: string, args?: Json | string): Promise<Answer>;
  /** A modern request with all it needs; a header set to null is left out. */
  modern(method: string, params?: Json, headers?: Record<string, string | null>): Promise<Answer>;
  /** The units used in the period. */
  used(): Promise<number>;
  /** Requests and units by method name, as the usage tells them. */
  usage(): Promise<Record<string, { requests: number; units: number }>>;
}

export function mcpRequests(appliance: Appliance, key: string): McpRequests {
  const requests: McpRequests = {
    key,
    post: (body, headers = {}) =>
      appliance.request("/v1/mcp/", {
        key,
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
      }),
    ask: (method, params, headers) =>
      requests.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), headers),
    call(name, args = {}) {
      const text = typeof args === "string" ? args : JSON.stringify(args);
      return requests.post(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${text}}}`,
      );
    },
    modern(method, params = {}, headers = {}) {
      const all: Record<string, string | null> = {
        "mcp-protocol-version": MODERN_VERSION,
        "mcp-method": method,
        ...(typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {}),
        ...headers,
      };
      const given = Object.entries(all).filter((entry): entry is [string, string] => {
        return entry[1] !== null;
      });
      const body = { jsonrpc: "2.0", id: 1, method, params: { _meta: MODERN_META, ...params } };
      return requests.post(JSON.stringify(body), Object.fromEntries(given));
    },
    async used() {
      return (await appliance.request("/v1/me/", { key })).body.usage.used;
    },
    async usage() {
      const { body } = await appliance.request("/v1/me/usage/", { key });
      return Object.fromEntries(
        body.results.map(({ method, requests, units }: Record<string, unknown>) => [
          method,
          { requests, units },
        ]),
      );
    },
  };
  return requests;
}

/** The answer is a JSON-RPC error with this code and HTTP status. */
export function expectRpcError(answer: Answer, code: number, status: number, what = ""): void {
  expect(answer.body?.error?.code, `${what} ${JSON.stringify(answer.body)}`).toBe(code);
  expect(answer.body.error.message).toMatch(/\S/);
  expect(answer.status, `${what} ${JSON.stringify(answer.body)}`).toBe(status);
}

/** The answer is a tool's error with a text that starts with this status and code. */
export function expectToolError(answer: Answer, start: string, what = ""): void {
  expect(answer.status, `${what} ${JSON.stringify(answer.body)}`).toBe(200);
  const { result } = answer.body;
  expect(result?.isError, `${what} ${JSON.stringify(answer.body)}`).toBe(true);
  expect(result.content, what).toEqual([{ type: "text", text: expect.any(String) }]);
  expect(result.content[0].text, what).toStartWith(start);
  expect(result, what).not.toHaveProperty("structuredContent");
}

/** The answer is a tool's success; gives its `structuredContent`. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function expectToolResult(answer: Answer, what = ""): any {
  expect(answer.status, `${what} ${JSON.stringify(answer.body)}`).toBe(200);
  const { result } = answer.body;
  expect(result?.isError, `${what} ${JSON.stringify(answer.body)}`).toBe(false);
  const [first, ...notes] = result.content;
  expect(first, what).toEqual({ type: "text", text: JSON.stringify(result.structuredContent) });
  // Only a list with more pages and statistics without a day have a word beside the answer.
  const { next, results } = result.structuredContent;
  if (typeof next === "string") expect(notes, what).toHaveLength(1);
  else if (results?.length !== 0) expect(notes, what).toEqual([]);
  return result.structuredContent;
}

/** What stands beside a success: how to get the next page, or why there is nothing. */
export function noteOf(answer: Answer): string | undefined {
  return answer.body.result.content[1]?.text;
}
