import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  challengeOf,
  ISSUER,
  METADATA,
  type OAuthTalk,
  REDIRECT,
  startOAuthTalk,
  startWithOAuth,
  VERIFIER,
} from "../../../support/oauth-client.ts";
import { addPerson, signedInVisitor, visitorOf } from "../../../support/visitor.ts";

/** Requests of clients that are refused, and the metadata that they get. */

let talk: OAuthTalk;
let clientId: string;
beforeAll(async () => {
  talk = await startOAuthTalk();
  clientId = (await talk.register()).body.client_id;
});
afterAll(async () => {
  expect(talk.appliance.ports.log.errors).toEqual([]);
  await talk.appliance.close();
});

const SPELLINGS = ["/v1/mcp/", "/v1/mcp", "/mcp/", "/mcp"];

describe("discovery", () => {
  test("each spelling of the address names its own metadata, which names that spelling", async () => {
    const wrong = { authorization: `Bearer knl_oa_${"0".repeat(38)}` };
    for (const path of SPELLINGS) {
      const metadata = `/.well-known/oauth-protected-resource${path}`;
      for (const headers of [{}, wrong] as const) {
        const answer = await talk.appliance.request(path, { method: "POST", headers });
        expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
          401,
          `Bearer realm="kanalog", resource_metadata="${ISSUER}${metadata}"`,
        ]);
      }
      const { status, body } = await talk.appliance.request(metadata);
      expect([status, body]).toMatchObject([
        200,
        { resource: `${ISSUER}${path}`, authorization_servers: [ISSUER] },
      ]);
      for (const end of [path, path.replace(/\/$/, "")]) {
        const server = await talk.appliance.request(
          `/.well-known/oauth-authorization-server${end}`,
        );
        expect([server.status, server.body.issuer]).toEqual([200, ISSUER]);
      }
    }
    const { body } = await talk.appliance.request("/.well-known/oauth-protected-resource");
    expect(body.resource).toBe(`${ISSUER}/v1/mcp/`);
  });

  test("and its endpoints can be used by pages of any site, which get no credentials", async () => {
    const origin = "https://app.example.com";
    for (const [method, path] of [
      ["GET", "/.well-known/oauth-protected-resource/mcp"],
      ["GET", "/.well-known/oauth-authorization-server"],
      ["POST", "/oauth/register"],
      ["POST", "/oauth/token"],
      ["POST", "/oauth/revoke"],
    ] as const) {
      const asked = { origin, "access-control-request-method": method };
      const preflight = await talk.appliance.request(path, { method: "OPTIONS", headers: asked });
      const answer = await talk.appliance.request(path, { method, headers: { origin } });
      expect([path, preflight.status]).toEqual([path, 204]);
      for (const { headers } of [preflight, answer]) {
        expect([path, headers.get("access-control-allow-origin")]).toEqual([path, "*"]);
        expect(headers.has("access-control-allow-credentials")).toBe(false);
      }
    }
    const { headers } = await talk.person.get(talk.askPath(clientId));
    expect(headers.has("access-control-allow-origin")).toBe(false);
  });

  test("the server's metadata lists what is supported, and nothing else", async () => {
    const { body } = await talk.appliance.request("/.well-known/oauth-authorization-server");
    expect(body).toEqual({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/account/authorize/`,
      token_endpoint: `${ISSUER}/oauth/token`,
      registration_endpoint: `${ISSUER}/oauth/register`,
      revocation_endpoint: `${ISSUER}/oauth/revoke`,
      scopes_supported: ["read"],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      // Until a start has found that it can read one.
      client_id_metadata_document_supported: false,
      service_documentation: `${ISSUER}/docs/mcp/`,
    });
  });

  test("another verb is refused with the supported one", async () => {
    for (const [path, method, allow] of [
      ["/oauth/token", "GET", "POST"],
      ["/oauth/register", "PUT", "POST"],
      ["/.well-known/oauth-authorization-server", "POST", "GET, HEAD"],
    ] as const) {
      const { status, headers } = await talk.appliance.request(path, { method });
      expect([path, status, headers.get("allow")]).toEqual([path, 405, allow]);
    }
  });
});

describe("if it is off", () => {
  const PATHS = [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-authorization-server",
    "/oauth/register",
    "/oauth/token",
    "/oauth/revoke",
  ];

  test("by the setting, everything is as before, and existing tokens open nothing", async () => {
    const off = await startOAuthTalk(await startWithOAuth({ KANALOG_OAUTH: "off" }));
    for (const path of PATHS) {
      expect((await off.appliance.request(path)).status, path).toBe(404);
    }
    expect((await off.person.get(off.askPath("anything"))).status).toBe(404);
    const { status, headers } = await off.appliance.request("/v1/mcp/", {
      method: "POST",
      headers: { authorization: `Bearer ${(await talk.connect()).tokens.access_token}` },
    });
    expect([status, headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="kanalog"']);
    await off.appliance.close();
  });

  test("because the address is neither https nor this machine's, nothing is served", async () => {
    for (const base of ["http://kanalog.example.com", "http://10.0.0.1:8080", ""]) {
      const off = await startWithOAuth({ KANALOG_BASE_URL: base });
      for (const path of PATHS) {
        const { status, body } = await off.request(path);
        expect([path, status, body.error]).toEqual([path, 404, "invalid_request"]);
        expect(body.error_description).toMatch(
          /^Kanalog takes API keys here; make one at http.+\/account\/keys\/\.$/,
        );
      }
      const answer = await off.request("/v1/mcp/", { method: "POST" });
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="kanalog"');
      await off.close();
    }
    for (const base of ["http://localhost:8080", "http://127.0.0.1", "http://[::1]:9"]) {
      const on = await startWithOAuth({ KANALOG_BASE_URL: base });
      const { body } = await on.request("/.well-known/oauth-authorization-server");
      expect(body.issuer).toBe(base);
      await on.close();
    }
  });
});

test("a start says so if the setting is on and the address is not suitable", async () => {
  for (const [base, warnings] of [
    ["http://kanalog.example.com", 1],
    ["https://kanalog.example.com", 0],
    // The listener's own address, which is this machine's.
    ["", 0],
  ] as const) {
    const one = await startWithOAuth({ KANALOG_BASE_URL: base, KANALOG_PORT: "0" });
    one.app.listen();
    const warned = one.ports.log.warnings.filter(({ message }) =>
      message.includes("KANALOG_OAUTH"),
    );
    expect([base, warned.length]).toEqual([base, warnings]);
    await one.close();
  }
});

describe("a registration", () => {
  beforeEach(() => talk.appliance.ports.clock.advance(3_600_000));

  test("accepts https and loopback addresses; a client that asks for a secret gets none", async () => {
    const { status, body } = await talk.register({
      redirect_uris: [
        "http://127.0.0.1:33418/",
        "http://localhost/callback",
        "http://[::1]:1/x?y=z",
      ],
      token_endpoint_auth_method: "client_secret_post",
      scope: "openid",
    });
    expect([status, body]).toMatchObject([
      201,
      {
        application_type: "native",
        token_endpoint_auth_method: "none",
        client_name: "127.0.0.1:33418",
      },
    ]);
    expect(body).not.toHaveProperty("client_secret");
  });

  test.each([
    "http://assistant.example/back",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "javascript:alert(1)",
    "https://user:secret@assistant.example/",
    "https://assistant.example/#fragment",
    "https:assistant.example",
    "https://assistant.example/a b",
    "https://assistant.example\\@evil.example/",
    "http://127.0.0.1.evil.example/",
    "http://localhost@evil.example/",
    "http://2130706433/",
    "",
    7,
  ])("refuses to redirect people to %p", async (uri) => {
    const { status, body } = await talk.register({ ...METADATA, redirect_uris: [REDIRECT, uri] });
    expect([status, body.error]).toEqual([400, "invalid_redirect_uri"]);
  });

  test("refuses anything that is not metadata of a public client", async () => {
    for (const metadata of [
      null,
      [],
      "text",
      { ...METADATA, redirect_uris: [] },
      { ...METADATA, redirect_uris: Array(11).fill(REDIRECT) },
      { ...METADATA, grant_types: ["client_credentials"] },
      { ...METADATA, response_types: ["token"] },
      { redirect_uris: ["http://localhost/"], application_type: "web" },
    ]) {
      const { status, body } = await talk.register(metadata);
      expect([status, body.error], JSON.stringify(metadata)).toEqual([
        400,
        expect.stringMatching(/^invalid_(redirect_uri|client_metadata)$/),
      ]);
    }
  });

  test("that is refused costs its network nothing", async () => {
    for (let at = 0; at < 30; at++) await talk.register({ ...METADATA, redirect_uris: [] });
    expect((await talk.register(METADATA)).status).toBe(201);
  });

  test("that is refused late returns one attempt, and no time that has passed since", async () => {
    const other = await startOAuthTalk();
    const isRead = Promise.withResolvers<void>();
    const isLate = Promise.withResolvers<void>();
    const body = new ReadableStream({
      async pull(controller) {
        isRead.resolve();
        await isLate.promise;
        controller.close();
      },
    });
    const late = other.appliance.request("/oauth/register", { method: "POST", body });
    await isRead.promise;
    const { clock } = other.appliance.ports;
    clock.advance(3600_000);
    while ((await other.register()).status === 201);
    isLate.resolve();
    expect((await late).status).toBe(400);
    const answers = [await other.register(), await other.register()];
    expect(answers.map(({ status }) => status)).toEqual([201, 429]);
    await other.appliance.close();
  });

  test("accepts metadata of up to 4 KiB", async () => {
    const sized = (bytes: number) => {
      const metadata = { ...METADATA, software_id: "" };
      metadata.software_id = "x".repeat(bytes - JSON.stringify(metadata).length);
      return talk.register(metadata);
    };
    expect((await sized(4 * 1024)).status).toBe(201);
    expect(await sized(4 * 1024 + 1)).toMatchObject({
      status: 413,
      body: { error: "invalid_request" },
    });
  });

  test("is limited to 20 per hour from one network, and says when to retry", async () => {
    const own = await startOAuthTalk(await startWithOAuth({ KANALOG_TRUST_PROXY: "true" }));
    const registered: number[] = [];
    for (let minute = 0; minute < 60; minute++) {
      for (let at = 0; at < 17; at++) {
        const { status, headers } = await own.appliance.request("/oauth/register", {
          method: "POST",
          headers: { "x-forwarded-for": `2001:db8:1:2::${at}` },
          body: JSON.stringify(METADATA),
        });
        if (status === 201) registered.push(minute);
        else expect([status, headers.get("retry-after")]).toEqual([429, "360"]);
      }
      own.appliance.ports.clock.advance(60_000);
    }
    expect(registered.length).toBeLessThanOrEqual(20);
    expect(registered.length).toBeGreaterThanOrEqual(19);
    // From any other network the door stays open.
    const honest = await own.appliance.request("/oauth/register", {
      method: "POST",
      headers: { "x-forwarded-for": "2001:db8:9::1" },
      body: JSON.stringify(METADATA),
    });
    expect(honest.status).toBe(201);
    await own.appliance.close();
  });
});

describe("a client's id", () => {
  test("describes the client: nothing is stored, and it holds for years, also after a restart", async () => {
    const { db } = talk.appliance.app.domains;
    const rows = () =>
      ["oauth_codes", "oauth_grants", "oauth_tokens", "keys", "meta"].map(
        (table) => db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n,
      );
    const before = rows();
    const { body } = await talk.register({ ...METADATA, client_name: "Помощник 🤖" });
    expect(rows()).toEqual(before);
    talk.appliance.ports.clock.advance(3 * 365 * 24 * 3_600_000);
    const person = await signedInVisitor(talk.appliance, "ada@example.com");
    const { status, html } = await person.get(talk.askPath(body.client_id));
    expect([status, html.includes("<bdi>Помощник 🤖</bdi>")]).toEqual([200, true]);
  });

  test("is unknown if anything in it was changed, or another appliance signed it", async () => {
    const other = await startOAuthTalk();
    const foreign = (await other.register()).body.client_id;
    await other.appliance.close();
    const [text = "", signature = ""] = clientId.split(".");
    const evil = Buffer.from(JSON.stringify(["Assistant", "https://evil.example/"]));
    for (const id of [
      ...[foreign, `${evil.toString("base64url")}.${signature}`, `${text}.${"A".repeat(43)}`],
      ...[
        text,
        `${text}.`,
        `.${signature}`,
        `${clientId}A`,
        clientId.toLowerCase(),
        `${text}==.${signature}`,
      ],
    ]) {
      const page = await talk.person.get(talk.askPath(id));
      expect([id, page.status]).toEqual([id, 400]);
      const { status, body } = await talk.exchange(id, "knl_oc_x");
      expect([id, status, body.error]).toEqual([id, 400, "invalid_client"]);
    }
  });

  test("is refused if the description is too long for an address", async () => {
    const long = (at: number) => `https://assistant.example/${at}/${"x".repeat(300)}`;
    const metadata = { redirect_uris: Array.from({ length: 10 }, (_, at) => long(at)) };
    const { status, body } = await talk.register(metadata);
    expect([status, body.error]).toEqual([400, "invalid_client_metadata"]);
    expect(body.error_description).toContain("redirect_uris");
  });
});

describe("the consent page", () => {
  test("redirects nobody for an invalid request, and says what is wrong", async () => {
    const wrong: [Record<string, string | null>, string][] = [
      [{ client_id: "unknown" }, "unknown here"],
      [{ redirect_uri: "https://evil.example/back" }, "not one of its own"],
      [{ redirect_uri: `${REDIRECT}/` }, "not one of its own"],
      [{ redirect_uri: `${REDIRECT}?x=1` }, "not one of its own"],
      [{ redirect_uri: "https://ASSISTANT.example/back" }, "not one of its own"],
      [{ redirect_uri: "https://assistant.example:443/back" }, "not one of its own"],
      [{ redirect_uri: null }, "not one of its own"],
      [{ response_type: "token" }, "of a type that is not supported"],
      [{ code_challenge: null }, "has no proof key"],
      [{ code_challenge_method: null }, "has no proof key"],
      [{ code_challenge_method: "plain", code_challenge: VERIFIER }, "has no proof key"],
      [{ code_challenge: "short" }, "has no proof key"],
      [{ resource: "https://other.example.com/v1/mcp/" }, "for another server"],
      [{ resource: `${ISSUER}/v1/` }, "for another server"],
      [{ state: "é" }, "cannot be sent back"],
    ];
    for (const [fields, words] of wrong) {
      const path = talk.askPath(clientId, fields);
      for (const answer of [
        await talk.person.get(path),
        await talk.person.post(path, {
          ...{ action: "allow", organization: talk.organizationId },
          csrf: await talk.person.csrf("/account/profile/"),
        }),
      ]) {
        expect([answer.status, answer.location, answer.headers.get("refresh")], words).toEqual([
          ...[400, null, null],
        ]);
        expect(answer.html.replaceAll("&#39;", "'")).toContain(words);
        expect(answer.html).not.toContain('href="https://evil');
      }
    }
    const twice = `${talk.askPath(clientId)}&redirect_uri=https://evil.example/`;
    expect((await talk.person.get(twice)).html).toContain("contains a parameter twice");
  });

  test("accepts every spelling of the server, or none, as clients of older revisions send it", async () => {
    const spellings = SPELLINGS.map((path) => ISSUER + path);
    for (const resource of [null, ...spellings, `${ISSUER.toUpperCase()}:443/mcp`]) {
      const page = await talk.person.get(talk.askPath(clientId, { resource }));
      expect([resource, page.status]).toEqual([resource, 200]);
    }
  });

  test("lets a program on the person's machine use any free port, and nothing else", async () => {
    const own = await startOAuthTalk();
    const { body } = await own.register({ redirect_uris: ["http://127.0.0.1:1234/back"] });
    const consentTo = (redirect_uri: string) =>
      own.person.get(own.askPath(body.client_id, { redirect_uri }));
    expect((await consentTo("http://127.0.0.1:50999/back")).status).toBe(200);
    expect((await consentTo("http://127.0.0.1/back")).status).toBe(200);
    for (const other of [
      "http://localhost:1234/back",
      "http://127.0.0.1:1234/",
      "http://127.0.0.1:1234@evil.example/back",
      "https://127.0.0.1:1234/back",
      "http://127.0.0.1:99999/back",
    ]) {
      expect((await consentTo(other)).status, other).toBe(400);
    }
    await own.appliance.close();
  });

  test("denies on the person's behalf, with the client's state and the issuer", async () => {
    const to = await talk.answer(talk.askPath(clientId), "refuse");
    expect(to?.href).toBe(
      `${REDIRECT}?error=access_denied&state=a+state&iss=${encodeURIComponent(ISSUER)}`,
    );
  });

  test("keeps the query of the client's address", async () => {
    const own = await startOAuthTalk();
    const redirect_uri = "https://assistant.example/back?team=a%20b&x=~";
    const { body } = await own.register({ redirect_uris: [redirect_uri] });
    const to = await own.answer(own.askPath(body.client_id, { redirect_uri }), "refuse");
    expect(to?.href).toStartWith(`${redirect_uri}&error=access_denied&state=`);
    await own.appliance.close();
  });

  test("requires signing in, and returns afterwards", async () => {
    const stranger = visitorOf(talk.appliance);
    const path = talk.askPath(clientId);
    const { status, location } = await stranger.get(path);
    expect([status, location]).toEqual([303, `/account/sign-in/?next=${encodeURIComponent(path)}`]);
    const signedIn = await stranger.post("/account/sign-in/", {
      ...{ action: "sign-in", email: "ada@example.com", password: "correct horse battery" },
      next: path,
    });
    expect(signedIn.location).toBe(path);
  });

  test("cannot be framed, and accepts no form without its token or from another site", async () => {
    const path = talk.askPath(clientId);
    const page = await talk.person.get(path);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(page.headers.get("cache-control")).toBe("no-store");
    const fields = { action: "allow", organization: talk.organizationId };
    const forged = await talk.person.post(path, { ...fields, csrf: "forged" });
    expect([forged.status, forged.headers.get("refresh")]).toEqual([409, null]);
    const elsewhere = await talk.person.post(path, fields, { origin: "https://evil.example" });
    expect([elsewhere.status, elsewhere.headers.get("refresh")]).toEqual([403, null]);
  });

  test("only gives access to an organization of the person's own", async () => {
    const other = await addPerson(talk.appliance, { email: "eve@example.com" });
    const answer = await talk.person.post(talk.askPath(clientId), {
      ...{ action: "allow", organization: other.organizationId },
    });
    expect([answer.status, answer.headers.get("refresh")]).toEqual([400, null]);
    expect(answer.html).toContain("Choose one of the options.");
  });

  test("shows a client's name as text on one line, without invisible and direction characters", async () => {
    const own = await startOAuthTalk();
    const client_name = "Kana\u202elog\u200b\n<b>staff</b>\u{e0041}";
    const { body } = await own.register({ ...METADATA, client_name });
    expect(body.client_name).toBe("Kanalog <b>staff</b>");
    const { html } = await own.person.get(own.askPath(body.client_id));
    expect(html).toContain("<bdi>Kanalog &lt;b&gt;staff&lt;/b&gt;</bdi>");
    await own.appliance.close();
  });
});

test("the challenge of these tests belongs to the verifier", () => {
  expect(challengeOf("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  );
});
