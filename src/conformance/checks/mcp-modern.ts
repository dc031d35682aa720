import { type Check, check, differs, isObject, type Json, statusOf, unless } from "../check.ts";
import { TOOLS } from "../endpoints.ts";
import {
  argumentsOf,
  LEGACY,
  listOfTools,
  MODERN,
  message,
  modern,
  post,
  resultOf,
  rpcError,
  toolError,
} from "./mcp-calls.ts";

const CALL = { name: "msgr_channels_list", arguments: { limit: 1 } };

/** The envelope of a modern request, with one fault each. */
const ENVELOPES: readonly (readonly [
  string,
  number,
  Json,
  Readonly<Record<string, string | null>>,
])[] = [
  ["no _meta", -32_602, { _meta: null }, {}],
  ["no protocolVersion in _meta", -32_602, { _meta: {} }, {}],
  ["no Mcp-Method", -32_020, {}, { "mcp-method": null }],
  ["another Mcp-Method", -32_020, {}, { "mcp-method": "tools/list" }],
  ["no Mcp-Name", -32_020, {}, { "mcp-name": null }],
  ["another Mcp-Name", -32_020, {}, { "mcp-name": "me_retrieve" }],
];

/** Keys that the protocol gives a result, beside the tool's own. */
function envelopeOf(result: Json): string | null {
  const meta = isObject(result["_meta"]) ? result["_meta"] : {};
  return (
    differs("resultType", result["resultType"], "complete") ??
    unless(
      Object.keys(meta).some((name) => name.endsWith("serverInfo")),
      "no serverInfo in _meta",
    )
  );
}

export const modernChecks: readonly Check[] = [
  ...ENVELOPES.map(([what, code, params, headers]) =>
    check("mcp modern", `MCP ${MODERN}: ${what} is ${code}`, async (kit) =>
      rpcError(await modern(kit, "tools/call", { ...CALL, ...params }, headers), code, 400),
    ),
  ),
  check("mcp modern", `MCP ${MODERN}: Mcp-Name may be in base64`, async (kit) =>
    statusOf(
      await modern(kit, "tools/call", CALL, { "mcp-name": `=?base64?${btoa(CALL.name)}?=` }),
      200,
    ),
  ),
  ...["1999-01-01", "x"].map((version) =>
    check(
      "mcp era",
      `MCP: the version ${version} is -32022 with those that are supported`,
      async (kit) => {
        const answer = await post(kit, message("ping"), { "mcp-protocol-version": version });
        const error = isObject(answer.body["error"]) ? answer.body["error"] : {};
        const data = isObject(error["data"]) ? error["data"] : {};
        return (
          rpcError(answer, -32_022, 400) ??
          differs("requested", data["requested"], version) ??
          differs(
            "supported",
            data["supported"],
            resultOf(await modern(kit, "server/discover"))["supportedVersions"],
          )
        );
      },
    ),
  ),
  ...LEGACY.map((version) =>
    check("mcp era", `MCP: the header ${version} is of the era with initialize`, async (kit) =>
      differs(
        "result",
        (await post(kit, message("ping"), { "mcp-protocol-version": version })).body["result"],
        {},
      ),
    ),
  ),
  ...["initialize", "ping", "none"].map((method) =>
    check("mcp modern", `MCP ${MODERN}: there is no ${method}`, async (kit) =>
      rpcError(await modern(kit, method), -32_601, 404),
    ),
  ),
  ...["tools/list", "server/discover"].map((method) =>
    check("mcp modern", `MCP ${MODERN}: ${method} has ttlMs and cacheScope`, async (kit) => {
      const result = resultOf(await modern(kit, method));
      return (
        envelopeOf(result) ??
        unless(Number.isSafeInteger(result["ttlMs"]) && Number(result["ttlMs"]) >= 0, "no ttlMs") ??
        unless(["public", "private"].includes(String(result["cacheScope"])), "no cacheScope")
      );
    }),
  ),
  check("mcp modern", `MCP ${MODERN}: the tools are those of former revisions`, async (kit) => {
    const { tools, nextCursor } = resultOf(await modern(kit, "tools/list"));
    return (
      differs("nextCursor", nextCursor, undefined) ??
      differs("tools", tools, await listOfTools(kit))
    );
  }),
  check("mcp modern", `MCP ${MODERN}: a session id is ignored, and none is sent`, async (kit) => {
    const answer = await modern(kit, "tools/list", {}, { "mcp-session-id": "abc" });
    return statusOf(answer, 200) ?? unless(!answer.headers.has("mcp-session-id"), "one is sent");
  }),
  check(
    "mcp amendments 8",
    `MCP ${MODERN}: an extra argument is a result with isError`,
    async (kit) =>
      toolError(
        await modern(kit, "tools/call", { name: "me_retrieve", arguments: { surplus: 1 } }),
        "400 ",
      ),
  ),
  ...TOOLS.map((endpoint) =>
    check("mcp modern", `MCP ${MODERN}: ${endpoint.operation} is called`, async (kit) => {
      const args = await argumentsOf(kit, endpoint);
      const answer = await modern(kit, "tools/call", { name: endpoint.operation, arguments: args });
      return (
        statusOf(answer, 200) ??
        differs("isError", resultOf(answer)["isError"] ?? false, false) ??
        envelopeOf(resultOf(answer))
      );
    }),
  ),
];
