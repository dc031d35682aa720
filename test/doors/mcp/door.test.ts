import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { type McpRequests, mcpRequests } from "../../support/mcp-requests.ts";

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const BODY_BYTES_MAX = 1_048_576;

let appliance: Appliance;
let mcp: McpRequests;

beforeAll(async () => {
  appliance = await startAppliance();
  await appliance.importRows("channels", [{ id: 1, title: "One", subscribers: 1 }]);
});

beforeEach(async () => {
  mcp = mcpRequests(appliance, (await appliance.customer()).key);
});

afterAll(() => appliance.close());

describe("the key", () => {
  for (const verb of ["POST", "GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    test(`${verb} without a valid key is a 401 that names the realm and no place to sign in`, async () => {
      for (const key of [null, "knl_ro_nonsense", `${mcp.key}x`]) {
        for (const path of ["/v1/mcp/", "/v1/mcp"]) {
          const { status, headers, body } = await appliance.request(path, { method: verb, key });
          expect(status, `${verb} ${path} ${key}`).toBe(401);
          expect(headers.get("www-authenticate")).toBe('Bearer realm="kanalog"');
          if (verb === "HEAD") continue;
          const code = key === null ? "not_authenticated" : "authentication_failed";
          expect(body).toEqual({ code, detail: expect.any(String) });
        }
      }
    });
  }

  for (const [what, body] of [
    ["a sound request", PING],
    [
      "a tool call",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"me_retrieve"}}',
    ],
    ["a notification", '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    ["nothing", ""],
    ["broken JSON", "{"],
    ["a batch", `[${PING}]`],
    ["two megabytes", "x".repeat(2 * BODY_BYTES_MAX)],
  ] as const) {
    test(`is checked before the body: ${what} without a key is a 401`, async () => {
      const { status, body: answered } = await appliance.request("/v1/mcp/", {
        method: "POST",
        body,
      });
      expect(status).toBe(401);
      expect(answered.code).toBe("not_authenticated");
    });
  }

  test("is checked before the protocol version", async () => {
    const { status } = await appliance.request("/v1/mcp/", {
      method: "POST",
      body: PING,
      headers: { "mcp-protocol-version": "1999-01-01" },
    });
    expect(status).toBe(401);
  });

  test("is not accepted in another scheme or in the URL", async () => {
    for (const [path, headers] of [
      ["/v1/mcp/", { authorization: `Basic ${mcp.key}` }],
      ["/v1/mcp/", { authorization: mcp.key }],
      [`/v1/mcp/?key=${mcp.key}`, {}],
    ] as const) {
      const { status, body } = await appliance.request(path, {
        method: "POST",
        body: PING,
        headers,
      });
      expect([status, body.code]).toEqual([401, "not_authenticated"]);
    }
  });

  test("is refused from the first request after its revocation", async () => {
    const { key, keyId } = await appliance.customer();
    const client = mcpRequests(appliance, key);
    expect((await client.post(PING)).status).toBe(200);
    await appliance.app.domains.keys.revokeKey(keyId, COMMAND_LINE);
    const { status, body } = await client.post(PING);
    expect([status, body.code]).toEqual([401, "authentication_failed"]);
  });

  for (const path of [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/v1/mcp",
    "/.well-known/oauth-protected-resource/v1/mcp/",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/v1/mcp/",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/v1/mcp",
    "/register",
  ]) {
    test(`${path}, where clients look for a way to sign in, is a 404 that says where to create keys`, async () => {
      for (const method of ["GET", "POST"]) {
        const { status, headers, body } = await appliance.request(path, { method });
        expect(status, method).toBe(404);
        expect(headers.get("content-type")).toStartWith("application/json");
        expect(body).toEqual({
          error: "invalid_request",
          error_description:
            "Kanalog takes API keys here; make one at http://localhost/account/keys/.",
        });
      }
    });
  }
});

describe("verbs and paths", () => {
  for (const verb of ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"]) {
    test(`${verb} with a valid key is a 405 that allows POST, at every spelling of the address`, async () => {
      for (const path of ["/v1/mcp/", "/v1/mcp", "/mcp/", "/mcp"]) {
        const { status, headers } = await appliance.request(path, {
          method: verb,
          key: mcp.key,
          headers: { accept: "text/event-stream" },
        });
        expect(status, path).toBe(405);
        expect(headers.get("allow")).toBe("POST");
        expect(headers.get("content-type")).toStartWith("application/json");
      }
      expect(await mcp.used()).toBe(0);
    });
  }

  test("a POST to any spelling of the address is answered without a redirect, and counts alike", async () => {
    for (const path of ["/v1/mcp", "/mcp/", "/mcp"]) {
      const init = { key: mcp.key, method: "POST" };
      const { status, body } = await appliance.request(path, { ...init, body: PING });
      expect([path, status, body]).toEqual([path, 200, { jsonrpc: "2.0", id: 1, result: {} }]);
      const params = { name: "msgr_channels_retrieve", arguments: { channel: "1" } };
      const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      await appliance.request(path, { ...init, body: call });
    }
    expect(await mcp.usage()).toMatchObject({ msgr_channels_retrieve: { requests: 3, units: 3 } });
  });

  test("a POST to the bare address is told the server's", async () => {
    for (const key of [null, mcp.key]) {
      const { status, headers, body } = await appliance.request("/", {
        ...{ method: "POST", key, body: PING },
      });
      expect([status, headers.get("allow"), body]).toEqual([
        405,
        "GET, HEAD",
        {
          code: "method_not_allowed",
          detail: "The MCP server is at http://localhost/v1/mcp/.",
        },
      ]);
    }
  });

  test("a query is ignored", async () => {
    const { status, body } = await appliance.request("/v1/mcp/?sessionId=1&x=%FF", {
      key: mcp.key,
      method: "POST",
      body: PING,
    });
    expect([status, body.result]).toEqual([200, {}]);
  });
});

describe("headers", () => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "",
  ]) {
    test(`a body of content type "${type}" is read as JSON`, async () => {
      const answer = await mcp.post(PING, { "content-type": type });
      expect([answer.status, answer.body.result]).toEqual([200, {}]);
    });
  }

  test("every answer has the request id, the limits and the cost", async () => {
    const listed = await mcp.post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {
      "x-request-id": "mine.1",
    });
    expect(listed.headers.get("x-request-id")).toBe("mine.1");
    expect(listed.headers.get("x-request-cost")).toBe("0");
    const called = await mcp.call("msgr_channels_retrieve", { channel: "1" });
    expect(called.headers.get("x-request-cost")).toBe("1");
    expect(called.headers.get("ratelimit")).toContain('"quota";r=999999;');
    expect(called.headers.get("ratelimit-policy")).toContain('"quota";q=1000000;');
  });
});

describe("a page of any site", () => {
  const ORIGINS = ["https://app.example.com", "http://localhost", "http://evil.example:80", "null"];
  const SPELLINGS = ["/v1/mcp/", "/v1/mcp", "/mcp/", "/mcp"];

  test("may ask with a key, in both eras, and read the answer and why it was refused", async () => {
    for (const origin of ORIGINS) {
      for (const answer of [
        await mcp.post(PING, { origin }),
        await mcp.modern("tools/list", {}, { origin }),
        await mcp.post("{", { origin }),
        await appliance.request("/v1/mcp/", { method: "POST", body: PING, headers: { origin } }),
      ]) {
        expect(answer.headers.get("access-control-allow-origin")).toBe("*");
        expect(answer.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
        expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
      }
    }
  });

  test("gets a preflight without a key at each address, for every header of both eras", async () => {
    for (const path of SPELLINGS) {
      const { status, headers } = await appliance.request(path, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example.com",
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,content-type,mcp-protocol-version",
        },
      });
      expect([path, status]).toEqual([path, 204]);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-methods")).toContain("POST");
      expect(headers.get("access-control-allow-headers")).toBe("Authorization, *");
    }
  });

  test("is not let in by its visitor's cookie", async () => {
    for (const headers of [{}, { authorization: "Bearer x" }] as const) {
      const { status } = await appliance.request("/v1/mcp/", {
        method: "POST",
        body: PING,
        headers: { ...headers, origin: "https://evil.example", cookie: "kanalog.session=x" },
      });
      expect(status).toBe(401);
    }
  });

  test("finds nothing else open: neither the API, nor the site, nor its checks", async () => {
    for (const path of ["/", "/v1/me/", "/account/connect/", "/account/authorize/", "/docs/json"]) {
      for (const method of ["GET", "OPTIONS"]) {
        const { headers } = await appliance.request(path, {
          ...{ method, key: mcp.key },
          headers: { origin: "https://evil.example", "access-control-request-method": "GET" },
        });
        expect([path, headers.get("access-control-allow-origin")]).toEqual([path, null]);
      }
    }
  });

  test("changes nothing for programs: without an origin there are no such headers", async () => {
    const { headers } = await mcp.post(PING);
    expect(headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("the size of a body", () => {
  /** @returns a ping of the given size */
  function ping(bytes: number): string {
    const [head, tail] = ['{"jsonrpc":"2.0","id":1,"method":"ping","more":"', '"}'];
    return head + "x".repeat(bytes - head.length - tail.length) + tail;
  }

  test("may be one mebibyte and not a byte more", async () => {
    expect((await mcp.post(ping(BODY_BYTES_MAX))).body.result).toEqual({});
    const { status, body } = await mcp.post(ping(BODY_BYTES_MAX + 1));
    expect([status, body.code]).toEqual([413, "payload_too_large"]);
  });

  test("is counted in bytes, not in characters", async () => {
    const body = ping(BODY_BYTES_MAX / 2 + 1_000).replaceAll("x", "я");
    expect(body.length).toBeLessThan(BODY_BYTES_MAX);
    expect((await mcp.post(body)).status).toBe(413);
  });

  test("over the limit runs nothing and costs nothing", async () => {
    const args = { q: "x".repeat(BODY_BYTES_MAX) };
    expect((await mcp.call("msgr_channels_list", args)).status).toBe(413);
    expect(await mcp.used()).toBe(0);
  });
});
