import type { Check, Json } from "../check.ts";
import { check, differs, each, isObject, objectsIn, refusal, statusOf, unless } from "../check.ts";
import { TOOLS } from "../endpoints.ts";
import {
  callOf,
  LEGACY,
  listOfTools,
  MCP,
  MODERN,
  message,
  post,
  resultOf,
  rpcError,
} from "./mcp-calls.ts";

const NAMES = TOOLS.map(({ operation }) => operation);
const SPECIFIED = 9;

const hello = (protocolVersion: unknown): Json =>
  message("initialize", {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "kit", version: "1" },
  });
/** Bodies that are no request, and how they are refused. */
const BODIES: readonly (readonly [what: string, body: string, code: number])[] = [
  ["an empty body", "", -32_700],
  ["broken JSON", '{"jsonrpc":"2.0",', -32_700],
  ["a batch", `[${JSON.stringify(message("ping"))}]`, -32_600],
  ["an empty batch", "[]", -32_600],
  ["a number", "1", -32_600],
  ["a string", '"ping"', -32_600],
  ["null", "null", -32_600],
  ["no jsonrpc", '{"id":7,"method":"ping"}', -32_600],
  ["another jsonrpc", '{"jsonrpc":"1.0","id":7,"method":"ping"}', -32_600],
  ["no method", '{"jsonrpc":"2.0","id":7}', -32_600],
  ["a method that is no string", '{"jsonrpc":"2.0","id":7,"method":1}', -32_600],
  ["an id that is null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600],
  ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32_600],
  ["an id that is a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32_600],
  ["an unsafe id", '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32_600],
];
const bodies = BODIES.map(([what, body, code]) =>
  check("spec 7 mcp errors", `MCP: ${what} is ${code}`, async (kit) => {
    const answer = await post(kit, body);
    const { id } = answer.body;
    return rpcError(answer, code, 400, code === -32_700 ? null : id);
  }),
);

const requests: readonly Check[] = [
  check("spec 7 mcp errors", "MCP: an unknown protocol method is -32601", async (kit) =>
    rpcError(await post(kit, message("tools/none")), -32_601, 200),
  ),
  check("mcp both", "MCP: params that are no object are -32602", async (kit) =>
    rpcError(await post(kit, message("tools/list", [1])), -32_602, 200),
  ),
  ...["a", "", 0, -3, 9_007_199_254_740_991].map((id) =>
    check(
      "spec 4 mcp result",
      `MCP: the id ${JSON.stringify(id)} comes back with its type`,
      async (kit) => {
        const { body } = await post(kit, { jsonrpc: "2.0", id, method: "ping" });
        return differs("id", body["id"], id) ?? differs("result", body["result"], {});
      },
    ),
  ),
  ...["notifications/initialized", "tools/call", "ping", "none"].map((method) =>
    check("mcp both", `MCP: ${method} without an id answers 202 and nothing`, async (kit) => {
      const params = { name: "msgr_channels_list", arguments: {} };
      const answer = await post(kit, { jsonrpc: "2.0", method, params });
      return statusOf(answer, 202) ?? differs("body", answer.text, "");
    }),
  ),
  check("mcp both", "MCP: a response answers 202", async (kit) =>
    statusOf(await post(kit, { jsonrpc: "2.0", id: 1, result: {} }), 202),
  ),
  check("mcp both", "MCP: unknown members beside the known ones are ignored", async (kit) =>
    differs("result", (await post(kit, { ...message("ping"), more: [1] })).body["result"], {}),
  ),
  check("mcp both", "MCP: a body over 1 MiB is payload_too_large", async (kit) =>
    refusal(
      await post(kit, { ...message("ping"), more: "x".repeat(1_100_000) }),
      413,
      "payload_too_large",
    ),
  ),
  ...["GET", "PUT", "DELETE", "PATCH"].map((method) =>
    check("spec 4 mcp transport", `MCP: ${method} is a 405 that allows POST`, async (kit) => {
      const answer = await kit.ask({ method, path: MCP });
      return statusOf(answer, 405) ?? differs("Allow", answer.headers.get("allow"), "POST");
    }),
  ),
  ...["text/event-stream", "text/html", "application/json;q=0", "nonsense"].map((accept) =>
    check(
      "spec 4 mcp transport",
      `MCP: the answer is JSON, though Accept says ${accept}`,
      async (kit) => {
        const type =
          (await post(kit, message("ping"), { accept })).headers.get("content-type") ?? "";
        return unless(type.startsWith("application/json"), `Content-Type is ${type}`);
      },
    ),
  ),
  ...[message("ping"), hello("2025-11-25"), callOf("me_retrieve", {})].map((body) =>
    check(
      "spec 4 mcp transport",
      `MCP: a session id of ${body["method"]} is ignored, and none is sent`,
      async (kit) => {
        const answer = await post(kit, body, { "mcp-session-id": "abc" });
        const { headers } = answer;
        return statusOf(answer, 200) ?? unless(!headers.has("mcp-session-id"), "one is sent");
      },
    ),
  ),
  ...["/v1/mcp", "/v1/mcp/", "/mcp", "/mcp/"].flatMap((path): Check[] => [
    check(
      path === "/v1/mcp" ? "decisions 7" : "mcp amendments 1",
      `MCP: a POST to ${path} is answered`,
      async (kit) => {
        const answer = await kit.ask({ method: "POST", path, body: message("ping") });
        return statusOf(answer, 200) ?? differs("result", answer.body["result"], {});
      },
    ),
    check("spec 7 mcp errors", `MCP: no key at ${path} is a 401`, async (kit) =>
      refusal(
        await kit.ask({ method: "POST", path, key: null, body: "{" }),
        401,
        "not_authenticated",
      ),
    ),
    check(
      "spec 7 mcp errors",
      `MCP: a wrong key at ${path} is a 401 that names the realm`,
      async (kit) => {
        const answer = await kit.ask({ method: "GET", path, key: "knl_ro_wrong" });
        const realm = answer.headers.get("www-authenticate") ?? "";
        return (
          refusal(answer, 401, "authentication_failed") ??
          unless(realm.startsWith('Bearer realm="kanalog"'), realm)
        );
      },
    ),
  ]),
  check("mcp amendments 1", "MCP: a POST to / tells the server's address", async (kit) => {
    const answer = await kit.ask({ method: "POST", path: "/", body: message("ping") });
    return statusOf(answer, 405) ?? unless(answer.text.includes("/v1/mcp/"), answer.text);
  }),
  ...["https://app.example.com", "null"].map((origin) =>
    check("mcp amendments 4", `MCP: a page of ${origin} may ask with a key`, async (kit) => {
      const { headers } = await post(kit, message("ping"), { origin });
      return (
        differs("Access-Control-Allow-Origin", headers.get("access-control-allow-origin"), "*") ??
        unless(!headers.has("access-control-allow-credentials"), "credentials are allowed")
      );
    }),
  ),
];

const protocol: readonly Check[] = [
  ...LEGACY.map((version) =>
    check("spec 9.2", `MCP: initialize agrees to ${version}`, async (kit) =>
      differs(
        "protocolVersion",
        resultOf(await post(kit, hello(version)))["protocolVersion"],
        version,
      ),
    ),
  ),
  ...["2023-01-01", "2024-10-07", "2099-01-01", "1", "", "__proto__", MODERN].map((version) =>
    check("mcp legacy", `MCP: initialize with "${version}" offers 2025-11-25`, async (kit) =>
      differs(
        "protocolVersion",
        resultOf(await post(kit, hello(version)))["protocolVersion"],
        "2025-11-25",
      ),
    ),
  ),
  check(
    "spec 4 mcp methods",
    "MCP: initialize names the server and has a hint for the assistant",
    async (kit) => {
      const result = resultOf(await post(kit, hello("2025-11-25")));
      const info = isObject(result["serverInfo"]) ? result["serverInfo"] : {};
      return (
        unless(typeof info["name"] === "string", "no name of the server") ??
        unless(String(result["instructions"] ?? "").length > 100, "no instructions") ??
        unless(
          isObject(result["capabilities"]) && Object.hasOwn(result["capabilities"], "tools"),
          "no tools",
        )
      );
    },
  ),
  check("mcp amendments 6", "MCP: the instructions name every tool", async (kit) => {
    const text = String(resultOf(await post(kit, hello("2025-11-25")))["instructions"]);
    return each(NAMES, (name) => unless(text.includes(name), `${name} is not in them`));
  }),
  check("mcp legacy", "MCP: initialize without params is -32602", async (kit) =>
    rpcError(await post(kit, message("initialize")), -32_602, 200),
  ),
  check("spec 4 mcp methods", "MCP: ping answers {}", async (kit) =>
    differs("result", (await post(kit, message("ping"))).body["result"], {}),
  ),
  check("mcp legacy", "MCP: a tools/list cursor of others is -32602", async (kit) =>
    rpcError(await post(kit, message("tools/list", { cursor: "x" })), -32_602, 200),
  ),
  check("spec 4 mcp tools", "MCP: the specification's nine tools come first", async (kit) =>
    differs(
      "their order",
      (await listOfTools(kit))
        .map(({ name }) => name)
        .slice(0, 9)
        .sort(),
      NAMES.slice(0, SPECIFIED).sort(),
    ),
  ),
  check("mcp tools", "MCP: the tools are in their order", async (kit) =>
    differs(
      "their order",
      (await listOfTools(kit)).map(({ name }) => name),
      NAMES,
    ),
  ),
  check("spec 4 mcp methods", "MCP: tools/list is free", async (kit) => {
    const cost = (await post(kit, message("tools/list"))).headers.get("x-request-cost");
    return differs("X-Request-Cost", cost ?? "0", "0");
  }),
  check("mcp amendments 9", "MCP: the resources are there and can be read", async (kit) => {
    const found = objectsIn(resultOf(await post(kit, message("resources/list")))["resources"]).map(
      ({ uri }) => uri,
    );
    for (const uri of ["kanalog://categories", "kanalog://territories", "kanalog://guide"]) {
      const [content] = objectsIn(
        resultOf(await post(kit, message("resources/read", { uri })))["contents"],
      );
      if (!found.includes(uri) || typeof content?.["text"] !== "string")
        return `${uri} is not there`;
    }
    return null;
  }),
  check("mcp amendments 9", "MCP: there are three prompts", async (kit) =>
    differs(
      "their number",
      objectsIn(resultOf(await post(kit, message("prompts/list")))["prompts"]).length,
      3,
    ),
  ),
  check(
    "mcp amendments 10",
    "MCP: the pages that tools declare can be read, and are self-contained",
    async (kit) => {
      const uris = (await listOfTools(kit))
        .map(({ _meta }) => JSON.stringify(_meta ?? ""))
        .flatMap((text) => text.match(/ui:\/\/[^"]+/g) ?? []);
      if (uris.length === 0) return "no tool declares one";
      for (const uri of new Set(uris)) {
        const [content] = objectsIn(
          resultOf(await post(kit, message("resources/read", { uri })))["contents"],
        );
        const html = String(content?.["text"]);
        const wrong =
          differs("mimeType", content?.["mimeType"], "text/html;profile=mcp-app") ??
          unless(html.length < 120_000, `${uri} has ${html.length} characters`) ??
          unless(
            !/<(script|link|img)[^>]+(src|href)="http/.test(html),
            `${uri} loads from the network`,
          );
        if (wrong !== null) return wrong;
      }
      return null;
    },
  ),
];

/** Where clients look for a way to sign in. */
const oauth = [
  "oauth-protected-resource",
  "oauth-authorization-server",
  "openid-configuration",
].map((name) =>
  check(
    "mcp oauth",
    `/.well-known/${name} says how to sign in, or that keys are taken`,
    async (kit) => {
      const answer = await kit.ask({ path: `/.well-known/${name}`, key: null });
      if (answer.status === 200) return unless(Object.keys(answer.body).length > 0, "no metadata");
      return (
        statusOf(answer, 404) ??
        differs("error", answer.body["error"], "invalid_request") ??
        unless(String(answer.body["error_description"]).includes("/account/keys/"), answer.text)
      );
    },
  ),
);

export const mcpChecks: readonly Check[] = [
  ...bodies,
  ...requests,
  ...protocol,

  ...oauth,
];
