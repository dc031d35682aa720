import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { systemRandom } from "../../src/ports/ports.ts";
import { type Appliance, RUNS_OVER_NODES, startAppliance } from "../support/appliance.ts";
import { contract } from "../support/contract.ts";
import { channel, imported } from "../support/expectations.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { startWithOAuth } from "../support/oauth-client.ts";

const OPEN = Object.keys(contract.withoutKey);

/** Messengers push here, each with a secret of its source; without the secret the path does not exist. */
const PUSHED = "/sources/:id/";

const METHODS = [...new Set(contract.methods.map(({ path }) => path))];

/** Pages, which send strangers to sign in; test/doors/site/ tests each. */
const isOfSite = (path: string): boolean => /^\/(?:account|staff)\//.test(`${path}/`);

/** The operator's API, derived from its declarations. */
const isOfOperator = (path: string): boolean => path.startsWith("/operator/v1/");

/** The MCP server, which is not a method. */
const MCP = ["/v1/mcp", "/v1/mcp/", "/mcp", "/mcp/"];

/** Verbs of a path, as `Allow` lists them. */
const verbsOf = (path: string): string =>
  contract.methods
    .filter((method) => method.path === path)
    .flatMap(({ verb }) => (verb === "GET" ? ["GET", "HEAD"] : verb))
    .join(", ");

const ALL_VERBS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const concrete = (path: string): string => path.replace(/:\w+/g, "1");
const withoutSlash = (path: string): string => path.slice(0, -1);

describe("without a key", () => {
  test("every route answers 401, except the public ones", async () => {
    const paths = new Set<string>();
    for (const { verb: method, path } of appliance.app.server.routes) {
      if (OPEN.includes(path) || path === PUSHED || isOfSite(path)) continue;
      if (!isOfOperator(path)) paths.add(path);
      const verbs = method === "GET" ? ["GET", "HEAD"] : [method];
      for (const verb of method === "ALL" ? ALL_VERBS.slice(2) : verbs) {
        const answer = await appliance.request(concrete(path), { method: verb });
        const line = `${verb} ${path}`;
        // The redirect to the trailing slash reveals nothing that requires a key.
        if (!MCP.includes(path) && !path.endsWith("/") && (verb === "GET" || verb === "HEAD")) {
          expect(answer.status, line).toBe(301);
          continue;
        }
        expect(answer.status, line).toBe(401);
        expect(answer.headers.get("www-authenticate"), line).toBe('Bearer realm="kanalog"');
        if (verb !== "HEAD") expect(answer.body.code, line).toBe("not_authenticated");
      }
    }
    expect([...paths].sort()).toEqual([...MCP, ...METHODS, ...METHODS.map(withoutSlash)].sort());
  });

  test("the public routes answer, and are exactly these", async () => {
    const open = new Set<string>();
    for (const { verb: method, path } of appliance.app.server.routes) {
      if (path.startsWith("/v1/") || isOfSite(path) || isOfOperator(path)) continue;
      if (MCP.includes(path)) continue;
      open.add(path);
      if (method === "ALL") continue;
      if (path === "/" && method === "POST") {
        // It tells the MCP server's address (test/doors/mcp/door.test.ts).
        expect((await appliance.request(path, { method })).status).toBe(405);
        continue;
      }
      if (path === PUSHED) {
        const refused = await appliance.request(concrete(path), { method });
        expect([method, refused.status]).toEqual(["POST", 404]);
        continue;
      }
      expect(method, path).toBe("GET");
      for (const verb of ["GET", "HEAD"]) {
        const { status } = await appliance.request(concrete(path), { method: verb });
        expect(status, path).toBe(contract.withoutKey[path] as number);
      }
    }
    expect([...open].sort()).toEqual([...OPEN, PUSHED].sort());
  });
});

test("if assistants may sign in, these answer without a key as well", async () => {
  const before = new Set(appliance.app.server.routes.map(({ path }) => path));
  const on = await startWithOAuth();
  const added = on.app.server.routes.map(({ path }) => path).filter((path) => !before.has(path));
  expect([...new Set(added)].sort()).toEqual([
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/*",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource/mcp/",
    "/.well-known/oauth-protected-resource/v1/mcp",
    "/.well-known/oauth-protected-resource/v1/mcp/",
    "/oauth/register",
    "/oauth/revoke",
    "/oauth/token",
  ]);
  await on.close();
});

describe("an address that does not exist", () => {
  test("is a 404 in JSON, for every verb, with or without a key", async () => {
    const { key } = await appliance.customer();
    for (const path of [
      "/nothing",
      "/v1/",
      "/v1/nothing/",
      "/v2/me/",
      "/V1/me/",
      "//v1/me/",
      "/v1/me//",
      "/v1/msgr/channels/1/posts/2/",
      "/v1/msgr/stats/",
      "/%FF",
      "/%00",
      "/images/none.webp",
      "/images/%FF",
      "/images/..%2f..%2fetc%2fpasswd",
    ]) {
      for (const [verb, withKey] of [
        ["GET", null],
        ["GET", key],
        ["POST", key],
      ] as const) {
        // The route for images exists, even if no image has this name, and does not accept POST.
        if (verb === "POST" && path.startsWith("/images/")) continue;
        const answer = await appliance.request(path, { method: verb, key: withKey });
        expect(answer.status, path).toBe(404);
        expect(answer.headers.get("content-type"), path).toBe("application/json; charset=utf-8");
        expect(answer.body, path).toEqual({ code: "not_found", detail: expect.any(String) });
      }
    }
    expect(appliance.ports.log.errors).toEqual([]);
  });
});

describe("a wrong verb", () => {
  test("is a 405 that lists the allowed ones, with and without the trailing slash", async () => {
    const { key } = await appliance.customer();
    for (const path of METHODS) {
      for (const verb of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if (verbsOf(path).split(", ").includes(verb)) continue;
        for (const at of [concrete(path), withoutSlash(concrete(path))]) {
          // A GET is redirected to the trailing slash first, whatever is there.
          if (verb === "GET" && !at.endsWith("/")) continue;
          const answer = await appliance.request(at, { method: verb, key });
          expect(answer.status, `${verb} ${at}`).toBe(405);
          expect(answer.body, `${verb} ${at}`).toEqual({
            code: "method_not_allowed",
            detail: `Method "${verb}" not allowed.`,
          });
          expect(answer.headers.get("allow"), `${verb} ${at}`).toBe(verbsOf(path));
        }
      }
    }
  });

  test("is refused whatever the body, which is not read", async () => {
    const { key } = await appliance.customer();
    for (const body of ["{broken", "x".repeat(2_000_000)]) {
      const init = { method: "POST", body, headers: { "content-type": "application/json" } };
      expect((await appliance.request("/v1/me/", init)).status).toBe(401);
      expect((await appliance.request("/v1/me/", { ...init, key })).status).toBe(405);
    }
  });

  test("is a 405 on the public routes too", async () => {
    for (const path of ["/", "/docs/", "/docs/json", "/healthz", "/readyz"]) {
      const answer = await appliance.request(path, { method: "POST" });
      expect(answer.status, path).toBe(405);
      expect(answer.body.code, path).toBe("method_not_allowed");
      expect(answer.headers.get("allow"), path).toContain("GET");
    }
  });
});

describe("an address without its trailing slash", () => {
  test("redirects to the one with it, with the query as it was sent", async () => {
    const { key } = await appliance.customer();
    for (const [path, location] of [
      ["/v1/me", "/v1/me/"],
      [
        "/v1/msgr/channels?q=%D1%91%FF+a&kind=chat&&x",
        "/v1/msgr/channels/?q=%D1%91%FF+a&kind=chat&&x",
      ],
      ["/v1/msgr/channels/NsMag", "/v1/msgr/channels/NsMag/"],
      ["/v1/msgr/channels/%FF%2F?a=b", "/v1/msgr/channels/%FF%2F/?a=b"],
      ["/v1/msgr/channels/1/posts?limit=1", "/v1/msgr/channels/1/posts/?limit=1"],
      ["/v1/msgr/stats/daily?channels=1,2", "/v1/msgr/stats/daily/?channels=1,2"],
    ] as const) {
      for (const method of ["GET", "HEAD"]) {
        const answer = await appliance.request(path, { method, key });
        expect(answer.status, path).toBe(301);
        const to = new URL(answer.headers.get("location") ?? "", "http://localhost");
        expect(to.pathname + to.search, path).toBe(location);
        expect(to.host, path).toBe("localhost");
      }
    }
  });

  test("redirects to the client's view of it, behind a proxy that removes a prefix", async () => {
    const base = "https://data.example.com/kanalog";
    const behind = await startAppliance({ KANALOG_BASE_URL: base });
    for (const path of ["/v1/me?x=1", "/v1/msgr/channels/1/posts?x=1", "/docs?x=1"]) {
      const answer = await behind.request(path);
      expect(answer.status, path).toBe(301);
      const to = new URL(answer.headers.get("location") ?? "", base + path);
      expect(to.href, path).toBe(base + path.replace("?", "/?"));
    }
    await behind.close();
  });

  test("keeps the query of the documentation's pages too", async () => {
    const answer = await appliance.request("/docs?x=1");
    expect(answer.status).toBe(301);
    expect(answer.headers.get("location")).toEndWith("/docs/?x=1");
  });
});

describe("over the network", () => {
  test("HEAD answers like GET, without a body", async () => {
    await imported(appliance, "channels", [channel(1)]);
    const { key } = await appliance.customer();
    const listener = Bun.serve({
      port: 0,
      fetch: (request) => appliance.app.server.handle(request),
    });
    try {
      for (const path of [
        "/v1/me/",
        "/v1/msgr/channels/1/",
        "/v1/msgr/channels/?limit=0",
        "/v1/msgr/channels/99/",
        "/healthz",
        "/docs/json",
        "/nothing",
      ]) {
        const answerTo = (method: string) =>
          fetch(`http://127.0.0.1:${listener.port}${path}`, {
            method,
            headers: { authorization: `Bearer ${key}` },
          });
        const [get, head] = [await answerTo("GET"), await answerTo("HEAD")];
        expect(head.status, path).toBe(get.status);
        expect(await head.text(), path).toBe("");
        expect((await get.text()).length, path).toBeGreaterThan(0);
        for (const name of ["content-type", "x-request-cost", "allow"]) {
          expect(head.headers.get(name), `${path} ${name}`).toBe(get.headers.get(name));
        }
      }
    } finally {
      await listener.stop(true);
    }
  });

  test("`next` is built from the listener's own address, whatever Host says", async () => {
    const served = await startAppliance({ KANALOG_PORT: "0", KANALOG_TRUST_PROXY: "true" });
    await imported(served, "channels", [channel(1), channel(2)]);
    const { key } = await served.customer();
    // Runs due jobs first: they would otherwise run beside the requests, on the only connection.
    await served.app.scheduler.runDue();
    const address = served.app.listen();
    try {
      expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const response = await fetch(`${address}/v1/msgr/channels/?limit=1`, {
        headers: {
          authorization: `Bearer ${key}`,
          host: "evil.example",
          "x-forwarded-host": "evil.example",
        },
      });
      const { next } = (await response.json()) as { next: string };
      expect(next).toStartWith(`${address}/v1/msgr/channels/?limit=1&cursor=`);
      const second = await fetch(next, { headers: { authorization: `Bearer ${key}` } });
      expect(await second.json()).toMatchObject({ results: [{ id: 2 }], next: null });
    } finally {
      await served.close();
    }
  });
});

describe("X-Request-Id", () => {
  test("is the caller's if it is well-formed, on every answer", async () => {
    const { key } = await appliance.customer();
    for (const id of ["a", "0", "my-id_1.2", "x".repeat(64), "..."]) {
      for (const [path, withKey] of [
        ["/v1/me/", key],
        ["/v1/me/", null],
        ["/v1/me", key],
        ["/v1/nothing/", key],
        ["/v1/msgr/channels/?limit=x", key],
        ["/healthz", null],
        ["/docs/", null],
        ["/docs", null],
        ["/", null],
        ["/images/none.webp", null],
      ] as const) {
        const answer = await appliance.request(path, {
          key: withKey,
          headers: { "x-request-id": id },
        });
        expect(answer.headers.get("x-request-id"), path).toBe(id);
      }
    }
  });

  test("is a new UUIDv7 if the caller's is not", async () => {
    const seen = new Set<string>();
    for (const id of [null, "", "x".repeat(65), "a b", "a/b", "<x>", "\u00e9", "a,b"]) {
      const headers: Record<string, string> = id === null ? {} : { "x-request-id": id };
      for (const path of ["/v1/me/", "/v1/me", "/nothing", "/healthz"]) {
        const answer = await appliance.request(path, { headers });
        const id = answer.headers.get("x-request-id") ?? "";
        expect(id, `${id} ${path}`).toMatch(UUID_V7);
        seen.add(id);
      }
    }
    expect(seen.size).toBe(32);
  });

  test("of the real source of ids is a UUIDv7 with the current time", async () => {
    const real = await startAppliance({}, { ...fakePorts(), random: systemRandom });
    const { headers } = await real.request("/v1/me/");
    const id = headers.get("x-request-id") ?? "";
    expect(id).toMatch(UUID_V7);
    const time = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
    expect(time).toBe(real.ports.clock.now());
    await real.close();
  });
});

describe("CORS", () => {
  const ORIGIN = "https://app.example.com";
  const preflight = {
    method: "OPTIONS",
    headers: { origin: ORIGIN, "access-control-request-method": "GET" },
  };
  const granted = (headers: Headers): string[] =>
    [...headers.keys()].filter((name) => name.startsWith("access-control-"));

  test("is off by default: no headers, and no preflight without a key", async () => {
    const { key } = await appliance.customer();
    expect((await appliance.request("/v1/me/", preflight)).status).toBe(401);
    for (const answer of [
      await appliance.request("/v1/me/", preflight),
      await appliance.request("/v1/me/", { key, headers: { origin: ORIGIN } }),
      await appliance.request("/v1/me/", { headers: { origin: ORIGIN } }),
      await appliance.request("/docs/json", { headers: { origin: ORIGIN } }),
    ]) {
      expect(granted(answer.headers)).toEqual([]);
    }
  });

  test("answers a preflight of a configured origin without a key", async () => {
    const open = await startAppliance({ KANALOG_CORS_ORIGINS: `http://localhost:3000, ${ORIGIN}` });
    for (const origin of [ORIGIN, "http://localhost:3000"]) {
      for (const path of ["/v1/me/", "/v1/msgr/channels/1/", "/v1/me"]) {
        const answer = await open.request(path, {
          method: "OPTIONS",
          headers: { ...preflight.headers, origin },
        });
        expect(answer.status).toBe(204);
        expect(answer.body).toBe("");
        expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
        expect(answer.headers.get("access-control-allow-methods")).toContain("GET");
        expect(answer.headers.get("access-control-allow-headers")?.toLowerCase()).toContain(
          "authorization",
        );
        expect(answer.headers.get("vary")).toContain("Origin");
        expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
      }
    }
    await open.close();
  });

  test("lets a configured origin read every answer of the API with its headers", async () => {
    const open = await startAppliance({ KANALOG_CORS_ORIGINS: ORIGIN });
    const { key } = await open.customer();
    for (const [path, status, withKey] of [
      ["/v1/me/", 200, key],
      ["/v1/msgr/channels/?limit=x", 400, key],
      ["/v1/me/", 401, null],
      ["/v1/msgr/channels/99/", 404, key],
      ["/v1/me", 301, key],
    ] as const) {
      const answer = await open.request(path, { key: withKey, headers: { origin: ORIGIN } });
      expect(answer.status, path).toBe(status);
      expect(answer.headers.get("access-control-allow-origin"), path).toBe(ORIGIN);
      const exposed = answer.headers.get("access-control-expose-headers")?.toLowerCase() ?? "";
      for (const name of ["x-request-id", "x-request-cost", "retry-after"]) {
        expect(exposed, path).toContain(name);
      }
    }
    await open.close();
  });

  test("grants nothing to any other origin", async () => {
    const open = await startAppliance({ KANALOG_CORS_ORIGINS: ORIGIN });
    const { key } = await open.customer();
    for (const origin of [
      "https://evil.example",
      "https://app.example.com.evil.example",
      "http://app.example.com",
      "https://app.example.com:8443",
      "null",
      "*",
    ]) {
      const answer = await open.request("/v1/me/", { key, headers: { origin } });
      expect(answer.status).toBe(200);
      expect(granted(answer.headers)).toEqual([]);
      expect(answer.headers.get("vary")).toContain("Origin");
      const refused = await open.request("/v1/me/", {
        method: "OPTIONS",
        headers: { ...preflight.headers, origin },
      });
      expect(refused.status).toBe(401);
      expect(granted(refused.headers)).toEqual([]);
    }
    await open.close();
  });
});

describe("the address in `next`", () => {
  async function nextOf(
    environment: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const at = await startAppliance(environment);
    await imported(at, "channels", [channel(1), channel(2)]);
    const { key } = await at.customer();
    const answer = await at.request("/v1/msgr/channels/?limit=1", { key, headers });
    expect(answer.status).toBe(200);
    await at.close();
    return answer.body.next.split("/v1/")[0];
  }
  const FORWARDED = {
    "x-forwarded-host": "api.example.com",
    "x-forwarded-proto": "https",
  };

  test("is KANALOG_BASE_URL if that is set, whatever the request says", async () => {
    const base = { KANALOG_BASE_URL: "https://data.example.com/kanalog/" };
    expect(await nextOf(base)).toBe("https://data.example.com/kanalog");
    expect(await nextOf({ ...base, KANALOG_TRUST_PROXY: "true" }, FORWARDED)).toBe(
      "https://data.example.com/kanalog",
    );
  });

  test("is the request's own address if there is no listener and no setting", async () => {
    expect(await nextOf({})).toBe("http://localhost");
    expect(await nextOf({}, FORWARDED)).toBe("http://localhost");
  });

  test("is the proxy's if it is trusted", async () => {
    const trusted = { KANALOG_TRUST_PROXY: "true" };
    expect(await nextOf(trusted, FORWARDED)).toBe("https://api.example.com");
    expect(await nextOf(trusted, { "x-forwarded-proto": "https" })).toBe("https://localhost");
    // The last entry is the proxy's own; the first is what the client claimed, in front of a proxy that
    // appends.
    expect(
      await nextOf(trusted, {
        "x-forwarded-host": "evil.example, data.example.com",
        "x-forwarded-proto": "http, https",
      }),
    ).toBe("https://data.example.com");
    expect(await nextOf(trusted, { "x-forwarded-host": "api.example.com:8443" })).toBe(
      "http://api.example.com:8443",
    );
  });

  test.skipIf(RUNS_OVER_NODES)(
    "is the listener's on one address, as on the default, whatever a trusted proxy says",
    async () => {
      const at = await startAppliance({ KANALOG_TRUST_PROXY: "true", KANALOG_PORT: "0" });
      const address = at.app.listen();
      await imported(at, "channels", [channel(1), channel(2)]);
      const { key } = await at.customer();
      const path = "/v1/msgr/channels/?limit=1";
      const { body } = await at.request(path, { key, headers: FORWARDED });
      expect(address).toStartWith("http://127.0.0.1:");
      expect(body.next).toStartWith(`${address}/v1/`);
      await at.close();
    },
  );

  test("is never built from a proxy's header that is not a host or scheme", async () => {
    const trusted = { KANALOG_TRUST_PROXY: "true" };
    for (const headers of [
      { "x-forwarded-host": "evil.example/path" },
      { "x-forwarded-host": "" },
      { "x-forwarded-host": "a b" },
      { "x-forwarded-proto": "javascript" },
      { "x-forwarded-proto": "" },
    ]) {
      expect(await nextOf(trusted, headers)).toBe("http://localhost");
    }
  });
});

// The tests close the database, which a single process has.
describe.skipIf(RUNS_OVER_NODES)("an unforeseen failure", () => {
  test("is a 500 with a fixed sentence, its cause in the log under the request id", async () => {
    const { key } = await appliance.customer();
    appliance.app.domains.db.close();
    const answer = await appliance.request("/v1/me/", { key, headers: { "x-request-id": "r1" } });
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ code: "internal", detail: expect.any(String) });
    expect(answer.body.detail).not.toContain("database");
    expect(answer.headers.has("x-request-cost")).toBe(false);
    expect(appliance.ports.log.errors).toMatchObject([{ fields: { requestId: "r1" } }]);
  });

  test("of the database makes the appliance not ready, but alive", async () => {
    appliance.app.domains.db.close();
    expect((await appliance.request("/healthz")).status).toBe(200);
    const answer = await appliance.request("/readyz");
    expect(answer.body).toMatchObject({ code: "unavailable", detail: expect.any(String) });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });
});

describe("a Host that is not an address", () => {
  test("is answered anyway, with a `next` that is one", async () => {
    const { key } = await appliance.customer();
    await appliance.importRows(
      "channels",
      [1, 2].map((id) => channel(id)),
    );
    for (const host of ["evil.com:99999", "%00", '"', "a b", "<x>"]) {
      const request = new Request("http://localhost/v1/msgr/channels/?limit=1", {
        headers: { authorization: `Bearer ${key}` },
      });
      Object.defineProperty(request, "url", { value: `http://${host}/v1/msgr/channels/?limit=1` });
      const response = await appliance.app.server.handle(request);
      expect([200, 404], host).toContain(response.status);
      const { next } = (await response.json()) as { next?: string };
      if (next !== undefined) expect(URL.canParse(next), next).toBe(true);
    }
  });
});
