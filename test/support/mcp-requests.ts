import { expect } from "bun:test";
import type { Answer, Appliance } from "./appliance.ts";
import { contract } from "./contract.ts";

/** Revisions that begin with `initialize`, as mcp.md lists them. */
export const LEGACY_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
export const MODERN_VERSION = "2026-07-28";

/** Tools in their order: the specification's, followed by those of questions. */
export const TOOL_NAMES = contract.tools;

/** `_meta` of a modern request's `params`. */
export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Json = Record<string, unknown>;

/** A client that sends any request, valid or not. */
export interface McpRequests {
  key: string;
  /** Posts exactly these bytes. */
  post(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a legacy request with id 1. */
  ask(method: string, params?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Calls a tool as a legacy client; arguments may be JSON text that no value can express. */
  call(name: string, args?: Json | string): Promise<Answer>;
  /** Sends a modern request with everything it needs; a header set to null is omitted. */
  modern(method: string, params?: Json, headers?: Record<string, string | null>): Promise<Answer>;
  /** Units used in the period. */
  used(): Promise<number>;
  /** Requests and units by method, as the usage shows them. */
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
      const present = Object.entries(all).filter((entry): entry is [string, string] => {
        return entry[1] !== null;
      });
      const body = { jsonrpc: "2.0", id: 1, method, params: { _meta: MODERN_META, ...params } };
      return requests.post(JSON.stringify(body), Object.fromEntries(present));
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

/** Expects a JSON-RPC error with a code and HTTP status. */
export function expectRpcError(answer: Answer, code: number, status: number, what = ""): void {
  expect(answer.body?.error?.code, `${what} ${JSON.stringify(answer.body)}`).toBe(code);
  expect(answer.body.error.message).toMatch(/\S/);
  expect(answer.status, `${what} ${JSON.stringify(answer.body)}`).toBe(status);
}

/** Expects a tool's error whose text starts with a status and code. */
export function expectToolError(answer: Answer, start: string, what = ""): void {
  expect(answer.status, `${what} ${JSON.stringify(answer.body)}`).toBe(200);
  const { result } = answer.body;
  expect(result?.isError, `${what} ${JSON.stringify(answer.body)}`).toBe(true);
  expect(result.content, what).toEqual([{ type: "text", text: expect.any(String) }]);
  expect(result.content[0].text, what).toStartWith(start);
  expect(result, what).not.toHaveProperty("structuredContent");
}

/** Expects a tool's success. @returns its `structuredContent` */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function expectToolResult(answer: Answer, what = ""): any {
  expect(answer.status, `${what} ${JSON.stringify(answer.body)}`).toBe(200);
  const { result } = answer.body;
  expect(result?.isError, `${what} ${JSON.stringify(answer.body)}`).toBe(false);
  const { content, structuredContent } = result;
  expect(content, what).toEqual([{ type: "text", text: JSON.stringify(structuredContent) }]);
  if (typeof structuredContent.next === "string") expect(structuredContent.note).toBeString();
  return result.structuredContent;
}

const NEXT = expect.stringMatching(/^[\w-]+$/);

/** Expects a tool's data to be what REST answers, but for the bare cursor and more in the note. */
// biome-ignore-start lint/suspicious/noExplicitAny: tests look into answers of every shape
export function expectAsOverRest({ note, ...data }: any, whole: any, what = ""): void {
  const { note: own, ...body } = whole;
  if (typeof own === "string") expect(note, what).toContain(own);
  const { next } = data;
  if (typeof next === "string") expect([typeof body.next, next]).toEqual(["string", NEXT]);
  expect(next == null ? data : { ...data, next: body.next }, what).toEqual(body);
}
// biome-ignore-end lint/suspicious/noExplicitAny: tests look into answers of every shape

/** Note in a success: how to get the next page, or why there is nothing. */
export function noteOf(answer: Answer): string | undefined {
  return answer.body.result.structuredContent.note;
}
