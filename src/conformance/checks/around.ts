import { type Check, check, differs, isObject, statusOf, unless } from "../check.ts";
import { answer, refused } from "./laws.ts";

/** Addresses beside the API, and sentences that are about all of it. */

const OPEN = ["/", "/docs/", "/docs/json", "/healthz", "/readyz"];

export const aroundChecks: readonly Check[] = [
  ...OPEN.map((path) =>
    check("decisions 10", `${path} answers without a key`, async (kit) =>
      statusOf(await kit.ask({ path, key: null }), 200),
    ),
  ),
  check("decisions 10", "/docs/json describes every method of the specification", async (kit) => {
    const { paths } = (await kit.ask({ path: "/docs/json", key: null })).body;
    const found = Object.keys(isObject(paths) ? paths : {});
    return unless(
      ["/v1/me/", "/v1/msgr/channels/", "/v1/msgr/webhooks/"].every((path) => found.includes(path)),
      `its paths are ${found}`,
    );
  }),
  check("mcp connect", "the bundle for assistants is served to everybody", async (kit) =>
    statusOf(await kit.ask({ path: "/docs/mcp/kanalog.mcpb", key: null }), 200),
  ),
  answer("spec 1.2", "/v1/msgr/categories/", "free", ({ headers }) =>
    differs("X-Request-Cost", headers.get("x-request-cost"), "0"),
  ),
  answer("spec 1.2", "/v1/msgr/channels/?limit=1", "a unit", ({ headers }) =>
    differs("X-Request-Cost", headers.get("x-request-cost"), "1"),
  ),
  answer("spec 1.1", "/v1/msgr/categories/", "all of them on one page", ({ body }) =>
    unless(Array.isArray(body["results"]) && body["next"] === undefined, "it has pages"),
  ),
  refused("decisions 1 messages", "/v1/msgr/channels/?limit=101", 400, "limit"),
];
