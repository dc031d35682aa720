import type { Fault, Json, Kit } from "../check.ts";
import { differs, isObject, objectsIn, shown, statusOf, unless } from "../check.ts";
import type { Answer } from "../client.ts";
import type { Endpoint } from "../endpoints.ts";
import { fill, requirePlan } from "../sight.ts";

/** Requests to the MCP server, and what its answers must be. */

export const MCP = "/v1/mcp/";
export const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
export const MODERN = "2026-07-28";
const META = "io.modelcontextprotocol/";

export const post = (kit: Kit, body: string | object, headers: Record<string, string> = {}) =>
  kit.ask({ method: "POST", path: MCP, body, headers });

export const message = (method: string, params?: unknown): Json => ({
  ...{ jsonrpc: "2.0", id: 7, method },
  ...(params !== undefined && { params }),
});

export const listOfTools = async (kit: Kit): Promise<readonly Json[]> =>
  objectsIn(resultOf(await post(kit, message("tools/list")))["tools"]);

export const callOf = (name: string, args: unknown): Json =>
  message("tools/call", { name, arguments: args });

/** A request of the revision without a handshake; a header that is null is left out. */
export async function modern(
  kit: Kit,
  method: string,
  params: Json = {},
  more: Readonly<Record<string, string | null>> = {},
): Promise<Answer> {
  const name = params["name"] ?? params["uri"];
  const headers: Record<string, string | null> = {
    ...{ "mcp-protocol-version": MODERN, "mcp-method": method },
    ...(typeof name === "string" && { "mcp-name": name }),
    ...more,
  };
  const _meta = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} };
  const given = Object.entries(headers).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return post(kit, message(method, { _meta, ...params }), Object.fromEntries(given));
}

/** Arguments of a call that succeeds: those of the path and of the example's query. */
export async function argumentsOf(kit: Kit, endpoint: Endpoint): Promise<Record<string, unknown>> {
  await requirePlan(kit, endpoint.from);
  const args: Record<string, unknown> = {};
  for (const [, name = ""] of endpoint.path.matchAll(/\{(\w+)\}/g)) {
    args[name === "post" ? "id" : "channel"] = Number(await fill(kit, `{${name}}`));
  }
  for (const [name, value] of new URLSearchParams(await fill(kit, endpoint.query))) {
    args[name] = name === "limit" ? Number(value) : value;
  }
  return args;
}

export const resultOf = ({ body }: Answer): Json =>
  isObject(body["result"]) ? body["result"] : {};

export const textOf = (answer: Answer): string =>
  String(objectsIn(resultOf(answer)["content"])[0]?.["text"] ?? "");

/** A JSON-RPC error with a code, under the id that was asked with. */
export function rpcError(answer: Answer, code: number, status: number, id: unknown = 7): Fault {
  const error = isObject(answer.body["error"]) ? answer.body["error"] : {};
  return (
    statusOf(answer, status) ??
    differs("jsonrpc", answer.body["jsonrpc"], "2.0") ??
    differs("code", error["code"], code) ??
    differs("id", answer.body["id"], id) ??
    unless(typeof error["message"] === "string" && error["message"] !== "", "no message")
  );
}

/** A tool's error, whose text begins with status and code. */
export function toolError(answer: Answer, start: string): Fault {
  const result = resultOf(answer);
  return (
    statusOf(answer, 200) ??
    differs("isError", result["isError"], true) ??
    unless(
      textOf(answer).startsWith(start),
      `the text is ${shown(textOf(answer))}, not ${start}…`,
    ) ??
    unless(!Object.hasOwn(result, "structuredContent"), "an error has structuredContent")
  );
}

/** A tool's success, whose one text is the JSON of its object. */
export function toolResult(answer: Answer): Fault {
  const result = resultOf(answer);
  return (
    statusOf(answer, 200) ??
    differs("jsonrpc", answer.body["jsonrpc"], "2.0") ??
    differs("id", answer.body["id"], 7) ??
    differs("isError", result["isError"], false) ??
    differs("content", result["content"], [
      { type: "text", text: JSON.stringify(result["structuredContent"]) },
    ])
  );
}
