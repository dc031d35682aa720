import type { Check, Kit } from "../check.ts";
import { check, differs, isObject, refusal, statusOf, unless } from "../check.ts";
import type { Answer } from "../client.ts";
import { anyPath, ENDPOINTS, isFile, nameOf, READS } from "../endpoints.ts";
import { account, pathTo, requirePlan } from "../sight.ts";
import { keyOn } from "./customers.ts";

const WRONG_KEY = "knl_ro_0000000000000000000000000000000000000000";
const REALM = 'Bearer realm="kanalog"';
const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const unauthorized = (answer: Answer, code: string) =>
  refusal(answer, 401, code) ??
  unless(
    answer.headers.get("www-authenticate")?.startsWith(REALM) === true,
    `WWW-Authenticate is ${answer.headers.get("www-authenticate")}`,
  );

/** Each method without a key, and with keys that are none. */
const authentication = ENDPOINTS.flatMap((endpoint): Check[] => {
  const { method } = endpoint;
  const path = anyPath(endpoint);
  const name = nameOf(endpoint);
  const ask = (kit: Kit, key: string | null, headers = {}) =>
    kit.ask({ method, path, key, headers });
  return [
    check("spec 5.5", `${name} without a key is not_authenticated`, async (kit) =>
      unauthorized(await ask(kit, null), "not_authenticated"),
    ),
    check("spec 5.5", `${name} with a wrong key is authentication_failed`, async (kit) =>
      unauthorized(await ask(kit, WRONG_KEY), "authentication_failed"),
    ),
    check("decisions 1 paths", `${name} with another scheme is not_authenticated`, async (kit) =>
      unauthorized(
        await ask(kit, null, { authorization: `Basic ${btoa(`${kit.key}:`)}` }),
        "not_authenticated",
      ),
    ),
  ];
});

/** Methods by path, for what a path does not allow. */
const allowedAt = (path: string): string[] =>
  ENDPOINTS.filter((endpoint) => anyPath(endpoint) === path).map(({ method }) => method);

const wrongVerbs = [...new Set(ENDPOINTS.map(anyPath))].flatMap((path) =>
  VERBS.filter((verb) => !allowedAt(path).includes(verb)).map((method) =>
    check(
      "decisions 1 error bodies",
      `${method} ${path} is method_not_allowed, and Allow names what is`,
      async (kit) => {
        const answer = await kit.ask({ method, path });
        const allow = (answer.headers.get("allow") ?? "").split(", ");
        return (
          refusal(answer, 405, "method_not_allowed") ??
          differs(
            "Allow",
            allow.filter((verb) => verb !== "HEAD").sort(),
            allowedAt(path).sort(),
          ) ??
          differs("X-Request-Cost", answer.headers.get("x-request-cost") ?? "0", "0")
        );
      },
    ),
  ),
);

const redirects = READS.map((endpoint) =>
  check(
    "decisions 1 paths",
    `${nameOf(endpoint)} without its slash redirects to it, query kept`,
    async (kit) => {
      const path = anyPath(endpoint);
      const answer = await kit.ask(`${path.slice(0, -1)}?limit=1&x=%D1%91+a`);
      const to = URL.parse(answer.headers.get("location") ?? "", kit.base + path);
      return (
        statusOf(answer, 301) ??
        unless(
          to?.href.endsWith(`${path}?limit=1&x=%D1%91+a`) === true,
          `Location is ${answer.headers.get("location")}`,
        )
      );
    },
  ),
);

/** What every answer of a method that succeeds shows of itself. */
const headers = READS.flatMap((endpoint): Check[] => {
  const name = nameOf(endpoint);
  const good = async (kit: Kit) => kit.ask(await pathTo(kit, endpoint));
  const checks: Check[] = [
    check("spec 4 endpoints", `${name} answers 200`, async (kit) => statusOf(await good(kit), 200)),
    check("decisions 1 limit headers", `${name} names its cost`, async (kit) => {
      const answer = await good(kit);
      const cost = answer.headers.get("x-request-cost");
      return isFile(endpoint)
        ? unless(Number(cost) >= 1, `X-Request-Cost is ${cost}`)
        : differs("X-Request-Cost", cost, String(endpoint.units));
    }),
    check("decisions 1 limit headers", `${name} has the plan's RateLimit-Policy`, async (kit) => {
      const answer = await good(kit);
      const { limits } = await account(kit);
      const plan = isObject(limits) ? limits : {};
      const seconds = Number(plan["period_days"]) * 86_400;
      const policy = `"rate";q=${plan["requests_per_second"]};w=1, "quota";q=${plan["requests_per_period"]};w=${seconds}`;
      return differs("RateLimit-Policy", answer.headers.get("ratelimit-policy"), policy);
    }),
    check("decisions 1 limit headers", `${name} has RateLimit`, async (kit) => {
      const text = (await good(kit)).headers.get("ratelimit") ?? "";
      const isSound = /^"rate";r=\d+;t=\d+, "quota";r=\d+;t=\d+$/.test(text);
      return unless(isSound, `RateLimit is ${text}`);
    }),
    check("decisions 1 request id", `${name} has an X-Request-Id`, async (kit) => {
      const id = (await good(kit)).headers.get("x-request-id") ?? "";
      return unless(UUID_V7.test(id), `X-Request-Id is ${id}`);
    }),
    check(
      "decisions 1 paths",
      `HEAD ${endpoint.path} answers as GET without a body`,
      async (kit) => {
        const answer = await good(kit);
        const head = await kit.ask({ method: "HEAD", path: await pathTo(kit, endpoint) });
        return (
          statusOf(head, answer.status) ??
          differs("body", head.text, "") ??
          differs(
            "Content-Type",
            head.headers.get("content-type"),
            answer.headers.get("content-type"),
          )
        );
      },
    ),
  ];
  if (!isFile(endpoint)) {
    checks.push(
      check("spec 1 base rules", `${name} speaks JSON in UTF-8`, async (kit) => {
        const type = (await good(kit)).headers.get("content-type") ?? "";
        return differs(
          "Content-Type",
          type.toLowerCase().replace(" ", ""),
          "application/json;charset=utf-8",
        );
      }),
    );
  }
  return checks;
});

const unknownRoutes = [
  "/v1/nothing/",
  "/v1/",
  "/v2/me/",
  "/v1/me//",
  "/V1/me/",
  "/v1/msgr/stats/",
  "/v1/msgr/channels/1/posts/2/",
  "/v1/%FF/",
  "/v1/%00/",
].map((path) =>
  check(
    path.startsWith("/v2") ? "spec 9.1" : "decisions 1 error bodies",
    `${path} is not_found`,
    async (kit) => refusal(await kit.ask(path), 404, "not_found"),
  ),
);

const ids = [
  ["my-id_1.2", true],
  ["x".repeat(64), true],
  ["x".repeat(65), false],
  ["a b", false],
  ["a/b", false],
  ["<x>", false],
].map(([id, isKept]) =>
  check(
    "decisions 1 request id",
    `X-Request-Id ${String(id).slice(0, 10)} of ${String(id).length} characters is ${isKept ? "kept" : "replaced"}`,
    async (kit) => {
      const answer = await kit.ask({ path: "/v1/me/", headers: { "x-request-id": String(id) } });
      const got = answer.headers.get("x-request-id") ?? "";
      return unless(isKept ? got === id : UUID_V7.test(got), `X-Request-Id is ${got}`);
    },
  ),
);

/** A key on Test, where the run may make one. */
const lowestKey = (kit: Kit): Promise<string> =>
  kit.operatorKey !== null && kit.mayWrite ? keyOn(kit, "test") : Promise.resolve(kit.key);

/** Of two faults of one request, the one that is named is what comes first. */
const order: readonly Check[] = [
  check("decisions 1 order of checks", "an unknown route comes before the key", async (kit) =>
    refusal(await kit.ask({ path: "/v1/nothing/", key: null }), 404, "not_found"),
  ),
  check("decisions 1 order of checks", "the key comes before the verb", async (kit) =>
    refusal(await kit.ask({ method: "PUT", path: "/v1/me/", key: null }), 401, "not_authenticated"),
  ),
  check("decisions 1 order of checks", "the key comes before the body", async (kit) =>
    refusal(
      await kit.ask({ method: "POST", path: "/v1/msgr/webhooks/", key: null, body: "{broken" }),
      401,
      "not_authenticated",
    ),
  ),
  check("decisions 1 order of checks", "the verb comes before plan and parameters", async (kit) => {
    const asked = {
      method: "POST",
      path: "/v1/msgr/channels/1/posts/?limit=x",
      key: await lowestKey(kit),
    };
    return refusal(await kit.ask(asked), 405, "method_not_allowed");
  }),
  check("decisions 1 order of checks", "parameters come before the look-up", async (kit) => {
    await requirePlan(kit, "start");
    const answer = await kit.ask("/v1/msgr/channels/999999999999/posts/?limit=x");
    return statusOf(answer, 400);
  }),
];

/** A body that a method does not take is refused without being parsed. */
const bodies = ["/v1/me/", "/v1/msgr/categories/", "/v1/msgr/channels/"].flatMap((path) =>
  ["{broken", "x".repeat(2_000_000)].map((body) =>
    check(
      "limits-of-one construction 1",
      `POST ${path} with ${body.length} bytes that are no JSON is a 4xx`,
      async (kit) => {
        const { status } = await kit.ask({ method: "POST", path, body });
        return unless(status === 405 || status === 413, `the status is ${status}`);
      },
    ),
  ),
);

export const requestChecks: readonly Check[] = [
  ...authentication,
  ...wrongVerbs,
  ...redirects,
  ...headers,
  ...unknownRoutes,
  ...ids,
  ...order,
  ...bodies,
];
