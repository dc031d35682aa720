import type { Check, Json, Kit } from "../check.ts";
import { check, differs, each, isObject, Missing, objectsIn, shown, unless } from "../check.ts";
import { TOOLS } from "../endpoints.ts";
import { isRequired } from "../parameter-kinds.ts";
import { pathTo } from "../sight.ts";
import { keyOn } from "./customers.ts";
import {
  argumentsOf,
  callOf,
  listOfTools,
  MCP,
  post,
  resultOf,
  rpcError,
  textOf,
  toolError,
  toolResult,
} from "./mcp-calls.ts";

/** MCP's tools as they are listed and called. */

async function toolNamed(kit: Kit, name: string): Promise<Json> {
  const tool = (await listOfTools(kit)).find((one) => one["name"] === name);
  if (tool === undefined) throw new Error(`tools/list has no ${name}`);
  return tool;
}

/** Members that change from call to call, or are written for assistants. */
const OWN = ["next", "note", "usage", "remaining_period", "key"];

/** A tool may show fewer items of a list than the method does. */
const begins = (data: Json, whole: Json): string | null =>
  each(Object.entries(whole), ([name, value]) => {
    const shownOf = data[name];
    if (OWN.includes(name) || (Array.isArray(value) && shownOf === undefined)) return null;
    const isList = Array.isArray(value) && Array.isArray(shownOf);
    return differs(name, shownOf, isList ? value.slice(0, shownOf.length) : value);
  });

const REACH_BY_AGE = ["reach_24h_min", "reach_48h_min", "ad_reach_24h_min", "ad_reach_48h_min"];
/** Parameters that a tool may do without, so that all descriptions fit (mcp, amendment 6). */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  msgr_channels_list: REACH_BY_AGE,
  msgr_channels_stats_retrieve: REACH_BY_AGE,
  msgr_posts_search_stats: ["is_ad", "media", "views_min"],
};

/** Each tool as it is listed, and as it is called. */
const ofTools = TOOLS.flatMap((endpoint): Check[] => {
  const { operation, units, parameters } = endpoint;
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
    name === "post" ? "id" : "channel",
  );
  const required = [
    ...inPath,
    ...Object.keys(parameters).filter((name) => isRequired(parameters[name] ?? "")),
  ];
  const offered = Object.keys(parameters).filter((name) => !LEFT_OUT[operation]?.includes(name));
  const call = async (kit: Kit) => post(kit, callOf(operation, await argumentsOf(kit, endpoint)));
  const broken = Object.entries(parameters).find(
    ([name, type]) => offered.includes(name) && (type === "limit" || type === "boolean"),
  );
  const checks: Check[] = [
    check("mcp tools", `${operation} has title, description and annotations`, async (kit) => {
      const tool = await toolNamed(kit, operation);
      return (
        unless(
          String(tool["title"] ?? "") !== "" && String(tool["description"] ?? "").length > 20,
          "no texts",
        ) ??
        each(
          Object.entries({
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false,
          }),
          ([name, value]) =>
            differs(name, (tool["annotations"] as Json | undefined)?.[name], value),
        )
      );
    }),
    check(
      "mcp tools",
      `${operation} has a flat input schema with the method's parameters`,
      async (kit) => {
        const schema = (await toolNamed(kit, operation))["inputSchema"] as Json;
        const properties = schema["properties"] as Readonly<Record<string, Json>>;
        return (
          differs("additionalProperties", schema["additionalProperties"], false) ??
          differs(
            "required",
            [...((schema["required"] as string[]) ?? [])].sort(),
            [...required].sort(),
          ) ??
          each([...inPath, ...offered], (name) =>
            unless(Object.hasOwn(properties ?? {}, name), `no ${name}`),
          ) ??
          each(Object.values(properties ?? {}), (one) =>
            unless(!Object.hasOwn(one, "properties"), "it is not flat"),
          )
        );
      },
    ),
    check(
      "spec 4 mcp result",
      `${operation} answers one text and the same as an object`,
      async (kit) => toolResult(await call(kit)),
    ),
    check("spec 1.4", `${operation} answers what the method answers`, async (kit) => {
      const whole = (await kit.ask(await pathTo(kit, endpoint))).body;
      const { structuredContent } = resultOf(await call(kit));
      return begins(isObject(structuredContent) ? structuredContent : {}, whole);
    }),
    check("spec 4 mcp tools", `${operation} costs ${units}`, async (kit) =>
      differs("X-Request-Cost", (await call(kit)).headers.get("x-request-cost"), String(units)),
    ),
    check(
      "spec 7 mcp errors",
      `${operation} with an extra argument is -32602, and free`,
      async (kit) => {
        const answer = await post(
          kit,
          callOf(operation, { ...(await argumentsOf(kit, endpoint)), surplus: 1 }),
        );
        return (
          rpcError(answer, -32_602, 200) ??
          differs("cost", answer.headers.get("x-request-cost") ?? "0", "0")
        );
      },
    ),
    check("mcp calls", `${operation} with arguments that are a list is -32602`, async (kit) =>
      rpcError(await post(kit, callOf(operation, [])), -32_602, 200),
    ),
    check(
      "mcp amendments 6",
      `${operation} answers at most 25,000 characters by default`,
      async (kit) => unless(textOf(await call(kit)).length <= 25_000, "it answers more"),
    ),
    check("mcp amendments 13", `${operation} leaves out invisible characters`, async (kit) => {
      const text = JSON.stringify(resultOf(await call(kit)));
      const found = /[\u00ad\u202a-\u202e\u2066-\u2069\u200b\u2060]/.exec(text);
      return unless(found === null, `${shown(found?.[0])} is in it`);
    }),
  ];
  for (const name of required) {
    checks.push(
      check(
        "spec 7 mcp errors",
        `${operation} without ${name} is -32602, and free`,
        async (kit) => {
          const { [name]: _, ...rest } = await argumentsOf(kit, endpoint);
          const answer = await post(kit, callOf(operation, rest));
          return (
            rpcError(answer, -32_602, 200) ??
            differs("cost", answer.headers.get("x-request-cost") ?? "0", "0")
          );
        },
      ),
    );
  }
  for (const name of inPath) {
    for (const value of ["a/b", "a?b", "a#b"]) {
      checks.push(
        check("spec 7 mcp errors", `${operation} with ${name} ${value} is -32602`, async (kit) =>
          rpcError(await post(kit, callOf(operation, { [name]: value })), -32_602, 200),
        ),
      );
    }
    checks.push(
      check(
        "spec 7 mcp errors",
        `${operation} of an unknown ${name} is a result with 404`,
        async (kit) => {
          await argumentsOf(kit, endpoint);
          return toolError(
            await post(kit, callOf(operation, { [name]: 999_999_999_999 })),
            "404 not_found: ",
          );
        },
      ),
    );
  }
  if (broken !== undefined) {
    const [name] = broken;
    checks.push(
      check(
        "spec 7 mcp errors",
        `${operation} with a wrong ${name} is a result with 400, and costs ${units}`,
        async (kit) => {
          const answer = await post(
            kit,
            callOf(operation, { ...(await argumentsOf(kit, endpoint)), [name]: "wrong" }),
          );
          return (
            toolError(answer, `400 invalid: ${name}: `) ??
            differs("cost", answer.headers.get("x-request-cost"), String(units))
          );
        },
      ),
    );
  }
  if (endpoint.from !== "test") {
    checks.push(
      check("spec 7 mcp errors", `${operation} on Test is a result with 403`, async (kit) => {
        const args = Object.fromEntries(required.map((name) => [name, "1"]));
        const asked = { method: "POST", path: MCP, key: await keyOn(kit, "test") };
        const answer = await kit.ask({ ...asked, body: callOf(operation, args) });
        return toolError(answer, "403 tariff_required: ");
      }),
    );
  }
  return checks;
});

/** What a call's arguments may look like. */
const KIND = ["channel, chat", "group"] as const;
const calls: readonly Check[] = [
  check("spec 7 mcp errors", "MCP: an unknown tool is -32602", async (kit) =>
    rpcError(await post(kit, callOf("none", {})), -32_602, 200),
  ),
  check("spec 7 mcp errors", "MCP: kind = group is a result with the method's 400", async (kit) =>
    toolError(
      await post(kit, callOf("msgr_channels_list", { kind: KIND[1] })),
      `400 invalid: kind: "group" is not a valid choice. Allowed: ${KIND[0]}.`,
    ),
  ),
  check("mcp calls", "MCP: an extra argument comes before a missing one", async (kit) => {
    const answer = await post(kit, callOf("msgr_stats_daily_list", { surplus: 1 }));
    return rpcError(answer, -32_602, 200) ?? unless(answer.text.includes("surplus"), answer.text);
  }),
  check("mcp calls", "MCP: __proto__ is an extra argument", async (kit) =>
    rpcError(
      await post(
        kit,
        '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"me_retrieve","arguments":{"__proto__":1}}}',
      ),
      -32_602,
      200,
    ),
  ),
  check("mcp tools", "MCP: null is not given, for an optional argument", async (kit) =>
    toolResult(await post(kit, callOf("msgr_channels_list", { q: null, limit: 1 }))),
  ),
  check("mcp tools", "MCP: ids are taken as a list of integers", async (kit) =>
    toolResult(await post(kit, callOf("msgr_channels_list", { ids: [1, 2] }))),
  ),
  check("mcp tools", "MCP: an unknown category names the tool that lists codes", async (kit) => {
    const answer = await post(kit, callOf("msgr_channels_list", { category: "no-such-code" }));
    return (
      toolError(answer, "400 invalid: category: ") ??
      unless(textOf(answer).includes("msgr_categories_list"), textOf(answer))
    );
  }),
  check("mcp amendments 7", "MCP: a category is taken by its name", async (kit) => {
    const [first] = objectsIn((await kit.ask("/v1/msgr/categories/")).body["results"]);
    if (first === undefined) throw new Missing("no categories");
    const ask = (category: unknown) =>
      post(kit, callOf("msgr_channels_list", { category, fields: "id" }));
    const [byName, byCode] = [await ask(first["name"]), await ask(first["slug"])];
    return differs(
      "the answer",
      objectsIn((resultOf(byName)["structuredContent"] as Json)?.["results"]),
      objectsIn((resultOf(byCode)["structuredContent"] as Json)?.["results"]),
    );
  }),
  check("mcp amendments 5", "MCP: what leads to the next page stands in note", async (kit) => {
    const content = resultOf(await post(kit, callOf("msgr_channels_list", { limit: 1 })))[
      "structuredContent"
    ] as Json;
    if (content["next"] === null) throw new Missing("the catalog has one page");
    return unless(typeof content["note"] === "string", "no note");
  }),
  check(
    "mcp amendments 6",
    "MCP: cursors have at most 24 characters, and continue their list",
    async (kit) => {
      const page = async (args: object) =>
        resultOf(await post(kit, callOf("msgr_channels_list", args)))["structuredContent"] as Json;
      const cursor = (await page({ limit: 1 }))["next"];
      if (cursor === null) throw new Missing("the catalog has one page");
      const [second] = objectsIn((await page({ cursor }))["results"]);
      const [, expected] = objectsIn((await page({ limit: 2 }))["results"]);
      return (
        unless(String(cursor).length <= 24, `it has ${String(cursor).length}`) ??
        differs("the second channel", second, expected)
      );
    },
  ),
];

export const toolChecks: readonly Check[] = [...ofTools, ...calls];
