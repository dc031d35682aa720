import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../../src/customers/audit/audit-log.ts";
import { retain } from "../../../../src/upkeep/retention/retain.ts";
import {
  METADATA,
  type OAuthTalk,
  REDIRECT,
  startOAuthTalk,
  VERIFIER,
} from "../../../support/oauth-client.ts";
import { signedInMember } from "../../../support/visitor.ts";

/** A grant from its code to its end: a read-only key that access tokens open. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let talk: OAuthTalk;
beforeEach(async () => {
  talk = await startOAuthTalk();
});
afterEach(async () => {
  expect(talk.appliance.ports.log.errors).toEqual([]);
  await talk.appliance.close();
});

async function newCode(): Promise<{ clientId: string; code: string }> {
  const clientId = (await talk.register()).body.client_id;
  const to = await talk.answer(talk.askPath(clientId), "allow");
  return { clientId, code: to?.searchParams.get("code") ?? "" };
}

const keysOf = () => talk.appliance.app.domains.keys.keys(talk.organizationId);
const refusedAs = ({ status, body }: { status: number; body: { error: string } }) =>
  `${status} ${body.error}`;

describe("a code", () => {
  test("is useless with another verifier, which uses it up", async () => {
    const { clientId, code } = await newCode();
    const other = { code_verifier: `${VERIFIER}x` };
    expect(refusedAs(await talk.exchange(clientId, code, other))).toBe("400 invalid_grant");
    expect(refusedAs(await talk.exchange(clientId, code))).toBe("400 invalid_grant");
    expect(await keysOf()).toEqual([]);
  });

  test("is useless without a verifier, at another address, to another client, for another server", async () => {
    const other = (await talk.register({ ...METADATA, client_name: "Other" })).body.client_id;
    for (const [fields, refused] of [
      [{ code_verifier: "" }, "400 invalid_grant"],
      [{ redirect_uri: `${REDIRECT}/` }, "400 invalid_request"],
      [{ redirect_uri: "" }, "400 invalid_request"],
      [{ client_id: other }, "400 invalid_grant"],
      [{ client_id: "nobody" }, "400 invalid_client"],
      [{ resource: "https://other.example.com/v1/mcp/" }, "400 invalid_target"],
      [{ grant_type: "password" }, "400 unsupported_grant_type"],
      [{ grant_type: "" }, "400 unsupported_grant_type"],
      [{ grant_type: "constructor" }, "400 unsupported_grant_type"],
      [{ code: "knl_oc_forged" }, "400 invalid_grant"],
    ] as const) {
      const { clientId, code } = await newCode();
      talk.appliance.ports.clock.advance(HOUR_MS / 10);
      const fresh = await talk.answer(talk.askPath(clientId), "allow");
      expect(code).not.toBe("");
      const answer = await talk.exchange(clientId, fresh?.searchParams.get("code") ?? "", fields);
      expect(refusedAs(answer), JSON.stringify(fields)).toBe(refused);
    }
    expect(await keysOf()).toEqual([]);
  });

  test("is valid for 60 seconds", async () => {
    const { clientId, code } = await newCode();
    talk.appliance.ports.clock.advance(59_999);
    expect((await talk.exchange(clientId, code)).status).toBe(200);
    const late = await newCode();
    talk.appliance.ports.clock.advance(60_000);
    expect(refusedAs(await talk.exchange(late.clientId, late.code))).toBe("400 invalid_grant");
  });

  test("presented a second time ends the grant that it was exchanged for", async () => {
    const { clientId, code, tokens } = await talk.connect();
    expect((await talk.call(tokens.access_token)).status).toBe(200);
    expect(refusedAs(await talk.exchange(clientId, code))).toBe("400 invalid_grant");
    expect((await talk.call(tokens.access_token)).status).toBe(401);
    expect(refusedAs(await talk.refresh(clientId, tokens.refresh_token))).toBe("400 invalid_grant");
  });

  test("gives nothing to somebody who was suspended meanwhile", async () => {
    const { clientId, code } = await newCode();
    await talk.appliance.app.domains.accounts.suspendMember(talk.memberId, COMMAND_LINE);
    expect(refusedAs(await talk.exchange(clientId, code))).toBe("400 invalid_grant");
  });
});

describe("tokens", () => {
  test("work for an hour, and can be refreshed for 30 days from the last use", async () => {
    const { clock } = talk.appliance.ports;
    const { clientId, tokens } = await talk.connect();
    clock.advance(HOUR_MS - 1);
    expect((await talk.call(tokens.access_token)).status).toBe(200);
    clock.advance(1);
    expect(await talk.call(tokens.access_token)).toEqual({
      status: 401,
      text: "This access token has expired: refresh it.",
    });
    clock.advance(30 * DAY_MS - HOUR_MS - 1);
    const second = await talk.refresh(clientId, tokens.refresh_token);
    expect(second.status).toBe(200);
    expect((await talk.call(second.body.access_token)).status).toBe(200);
    clock.advance(HOUR_MS - 1);
    expect((await talk.call(second.body.access_token)).status).toBe(200);
    clock.advance(29 * DAY_MS);
    const third = await talk.refresh(clientId, second.body.refresh_token);
    expect((await talk.call(third.body.access_token)).status).toBe(200);
    clock.advance(30 * DAY_MS);
    expect(refusedAs(await talk.refresh(clientId, third.body.refresh_token))).toBe(
      "400 invalid_grant",
    );
  });

  test("rotate: a refresh token presented again after a minute ends the grant", async () => {
    const { clientId, tokens } = await talk.connect();
    const second = (await talk.refresh(clientId, tokens.refresh_token)).body;
    expect(second.refresh_token).not.toBe(tokens.refresh_token);
    talk.appliance.ports.clock.advance(60_000);
    expect(refusedAs(await talk.refresh(clientId, tokens.refresh_token))).toBe("400 invalid_grant");
    for (const token of [tokens.access_token, second.access_token]) {
      expect((await talk.call(token)).status).toBe(401);
    }
    expect(refusedAs(await talk.refresh(clientId, second.refresh_token))).toBe("400 invalid_grant");
    const { db } = talk.appliance.app.domains;
    const last = db.prepare("SELECT person, action, details FROM audit_log ORDER BY id DESC").get();
    expect(last).toMatchObject({ person: "ada@example.com", action: "key.revoke" });
    expect(JSON.parse((last as { details: string }).details)).toMatchObject({
      ...{ name: "Assistant", reason: "replay" },
    });
  });

  test("sessions that refresh one token within a minute each go on with tokens of their own", async () => {
    const { clock } = talk.appliance.ports;
    const { clientId, tokens } = await talk.connect();
    const refreshed = async (token: string) => {
      const { status, body } = await talk.refresh(clientId, token);
      expect(status).toBe(200);
      expect((await talk.call(body.access_token)).status).toBe(200);
      return body.refresh_token as string;
    };
    const own = await Promise.all([1, 2].map(() => refreshed(tokens.refresh_token)));
    clock.advance(59_999);
    own.push(await refreshed(tokens.refresh_token));
    expect(new Set(own).size).toBe(3);
    for (const token of own) {
      clock.advance(HOUR_MS);
      await refreshed(token);
    }
    expect(await keysOf()).toHaveLength(1);
    // The first use counts: later ones within the minute do not prolong it.
    expect(refusedAs(await talk.refresh(clientId, tokens.refresh_token))).toBe("400 invalid_grant");
    expect(refusedAs(await talk.refresh(clientId, own[2] as string))).toBe("400 invalid_grant");
  });

  test("of two sessions that connected by themselves are of two grants", async () => {
    const [one, other] = [await talk.connect(), await talk.connect()];
    expect(one.clientId).toBe(other.clientId);
    expect(await keysOf()).toHaveLength(2);
    expect((await talk.refresh(one.clientId, one.tokens.refresh_token)).status).toBe(200);
    talk.appliance.ports.clock.advance(60_000);
    expect((await talk.refresh(one.clientId, one.tokens.refresh_token)).status).toBe(400);
    expect((await talk.call(one.tokens.access_token)).status).toBe(401);
    expect((await talk.call(other.tokens.access_token)).status).toBe(200);
    expect((await talk.refresh(other.clientId, other.tokens.refresh_token)).status).toBe(200);
  });

  test("belong to the client that received them", async () => {
    const { tokens } = await talk.connect();
    const other = (await talk.register({ ...METADATA, client_name: "Other" })).body.client_id;
    expect(refusedAs(await talk.refresh(other, tokens.refresh_token))).toBe("400 invalid_grant");
    expect((await talk.call(tokens.access_token)).status).toBe(200);
  });

  test("have one purpose each: no other secret works as an access token", async () => {
    const { code, tokens } = await talk.connect();
    for (const secret of [code, tokens.refresh_token]) {
      expect((await talk.call(secret)).status).toBe(401);
    }
  });

  test("can be revoked by their client, which ends the grant; another client cannot", async () => {
    const revoke = (fields: Record<string, string>) =>
      talk.appliance.request("/oauth/revoke", {
        method: "POST",
        body: new URLSearchParams(fields),
      });
    const { clientId, tokens } = await talk.connect();
    const other = (await talk.register({ ...METADATA, client_name: "Other" })).body.client_id;
    const token = tokens.refresh_token;
    expect((await revoke({ token, client_id: other })).status).toBe(200);
    expect((await revoke({ token: "nonsense", client_id: clientId })).status).toBe(200);
    expect((await revoke({ token, client_id: "nobody" })).status).toBe(401);
    expect((await revoke({ token })).status).toBe(400);
    expect((await talk.call(tokens.access_token)).status).toBe(200);
    expect((await revoke({ token, client_id: clientId })).status).toBe(200);
    expect((await talk.call(tokens.access_token)).status).toBe(401);
  });

  test("and codes are stored as hashes only, and appear in no log", async () => {
    const { clientId, code, tokens } = await talk.connect();
    const { refresh_token, access_token } = (await talk.refresh(clientId, tokens.refresh_token))
      .body;
    const secrets = [code, tokens.access_token, tokens.refresh_token, refresh_token, access_token];
    const { db } = talk.appliance.app.domains;
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as {
      name: string;
    }[];
    const rows = tables
      .filter(({ name }) => !name.startsWith("channel_search"))
      .map(({ name }) => JSON.stringify(db.prepare(`SELECT * FROM ${name}`).all()));
    const stored = `${rows.join("\n")}${JSON.stringify(talk.appliance.ports.log)}`;
    expect(stored).toContain("knl_oa_");
    for (const secret of secrets) expect(stored).not.toContain(secret.slice(7));
  });

  test("are throttled if wrong, with a time to retry; valid ones cost nothing", async () => {
    const { clientId, tokens } = await talk.connect();
    const statuses = new Set<number>();
    for (let at = 0; at < 100; at++) {
      statuses.add((await talk.refresh(clientId, `knl_or_${at}`)).status);
    }
    expect([...statuses]).toEqual([400, 429]);
    talk.appliance.ports.clock.advance(60_000);
    let { refresh_token: token } = tokens;
    for (let at = 0; at < 100; at++) {
      const { status, body } = await talk.refresh(clientId, token);
      expect(status).toBe(200);
      token = body.refresh_token;
    }
  });

  test("malformed forms are refused, whatever is wrong with them", async () => {
    const send = (body: string, type = "application/x-www-form-urlencoded") =>
      talk.appliance.request("/oauth/token", {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
    for (const [answer, status] of [
      [await send("{}", "application/json"), 400],
      [await send(""), 400],
      [await send("grant_type=a&grant_type=b"), 400],
      [await send("__proto__=x&grant_type=refresh_token&client_id=x"), 400],
      [await send(`client_id=${"x".repeat(20_000)}`), 413],
      [await send("grant_type=refresh_token&client_id=%00&refresh_token=%ff"), 400],
    ] as const) {
      expect(answer.status).toBe(status);
      expect(answer.body).toEqual({
        error: expect.any(String),
        error_description: expect.any(String),
      });
    }
  });
});

describe("a grant", () => {
  test("is not offered in the documentation as the person's own key", async () => {
    const { clientId, code } = await newCode();
    expect((await talk.exchange(clientId, code)).status).toBe(200);
    const { body } = await talk.person.get("/account/keys/prefix/");
    expect(body).toEqual({ prefix: null, isUsed: false } as never);
  });

  test("is a read-only key of the member, named after the client, in keys and audit log", async () => {
    const { tokens } = await talk.connect();
    const [key, ...others] = await keysOf();
    expect(others).toEqual([]);
    expect(key).toMatchObject({
      ...{ name: "Assistant", prefix: "knl_oa_", access: "read_only", memberId: talk.memberId },
      expiresAt: talk.appliance.ports.clock.now() + 30 * DAY_MS,
    });
    const { html } = await talk.person.get("/account/keys/");
    expect(html).toContain("<bdi>Assistant</bdi>");
    const { db } = talk.appliance.app.domains;
    expect(
      db.prepare("SELECT person, action, target FROM audit_log ORDER BY id DESC").get(),
    ).toEqual({
      ...{ person: "ada@example.com", action: "key.create", target: `key ${key?.id}` },
    });
    await talk.call(tokens.access_token);
    expect(db.prepare("SELECT method, key_id FROM usage_days").all()).toContainEqual({
      ...{ method: "msgr_categories_list", key_id: key?.id },
    });
  });

  test("reads over REST, and cannot write", async () => {
    const { access_token: key } = (await talk.connect()).tokens;
    const { request } = talk.appliance;
    expect((await request("/v1/me/", { key })).status).toBe(200);
    const body = JSON.stringify({ url: "https://hooks.example.com/", channels: [1] });
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", key, headers, body };
    const { status, body: refusal } = await request("/v1/msgr/webhooks/", init);
    expect([status, refusal.code]).toEqual([403, "read_only_key"]);
  });

  test("is shown and can be revoked on the Connect page and the keys page", async () => {
    for (const path of ["/account/connect/", "/account/keys/"]) {
      const { clientId, tokens } = await talk.connect();
      const [key] = (await keysOf()).filter(({ revokedAt }) => revokedAt === null);
      const { html } = await talk.person.get(path);
      expect(html).toContain("<bdi>Assistant</bdi>");
      const revoked = await talk.person.post(path, { action: "revoke", key: key?.id ?? 0 });
      expect([revoked.status, revoked.location]).toEqual([303, `${path}?done=revoked`]);
      expect(await talk.call(tokens.access_token)).toEqual({
        status: 401,
        text: "This API key was revoked.",
      });
      expect(refusedAs(await talk.refresh(clientId, tokens.refresh_token))).toBe(
        "400 invalid_grant",
      );
      expect((await talk.person.get("/account/connect/")).html).not.toContain(
        "<bdi>Assistant</bdi>",
      );
    }
  });

  test("of another member is shown and can be revoked on the Connect page by managers only", async () => {
    await talk.connect();
    const [key] = await keysOf();
    const { organizationId } = talk;
    const member = await signedInMember(
      talk.appliance,
      organizationId,
      "member",
      "nina@example.com",
    );
    expect((await member.get("/account/connect/")).html).not.toContain("<bdi>Assistant</bdi>");
    const fields = { action: "revoke", key: key?.id ?? 0 };
    expect((await member.post("/account/connect/", fields)).status).toBe(404);
    const administrator = await signedInMember(
      talk.appliance,
      organizationId,
      "administrator",
      "boris@example.com",
    );
    expect((await administrator.get("/account/connect/")).html).toContain("<bdi>Assistant</bdi>");
    expect((await administrator.post("/account/connect/", fields)).status).toBe(303);
  });

  test("stops working with a suspension or an archived organization, and works again afterwards", async () => {
    const { accounts } = talk.appliance.app.domains;
    const { clientId, tokens } = await talk.connect();
    const { access_token: token } = tokens;
    const isRefused = async () => {
      const { status } = await talk.refresh(clientId, tokens.refresh_token);
      return [(await talk.call(token)).status, status];
    };
    await accounts.suspendMember(talk.memberId, COMMAND_LINE);
    expect(await isRefused()).toEqual([401, 400]);
    await accounts.reinstateMember(talk.memberId, COMMAND_LINE);
    expect((await talk.call(token)).status).toBe(200);
    await accounts.archiveOrganization(talk.organizationId, COMMAND_LINE);
    expect(await isRefused()).toEqual([401, 400]);
    await accounts.restoreOrganization(talk.organizationId, COMMAND_LINE);
    expect((await talk.call(token)).status).toBe(200);
    expect((await talk.refresh(clientId, tokens.refresh_token)).status).toBe(200);
  });

  test("has the plan of its organization: its end and quota", async () => {
    const { accounts } = talk.appliance.app.domains;
    const { access_token: token } = (await talk.connect()).tokens;
    const { clock } = talk.appliance.ports;
    const posts = async () =>
      (await talk.appliance.request("/v1/msgr/channels/1/posts/", { key: token })).status;
    await accounts.givePlan(
      talk.organizationId,
      "profi",
      Date.parse("2026-11-20T12:30:00+03:00"),
      COMMAND_LINE,
    );
    expect(await posts()).toBe(404);
    clock.set("2026-11-20T12:30:00+03:00");
    expect(await posts()).toBe(403);
    await accounts.changePlan("test", { requestsPerPeriod: 1 }, COMMAND_LINE);
    const tool = "msgr_channels_list";
    expect((await talk.call(token, tool)).text).not.toStartWith("429");
    expect((await talk.call(token, tool)).text).toStartWith("429 quota_exceeded");
  });
});

test("a person with several organizations chooses which one grants access", async () => {
  const { accounts } = talk.appliance.app.domains;
  const { id: organizationId } = await accounts.createOrganization(
    { name: "Second", plan: "profi" },
    COMMAND_LINE,
  );
  const member = { email: "ada@example.com", name: "Ada", role: "member" } as const;
  const { id: memberId } = await accounts.addMember({ organizationId, ...member }, COMMAND_LINE);
  const clientId = (await talk.register()).body.client_id;
  const path = talk.askPath(clientId);
  const { html } = await talk.person.get(path);
  expect(html).toContain(`<option value="${organizationId}">`);
  expect(html).toContain(`<option value="${talk.organizationId}" selected="">`);
  const to = await talk.answer(path, "allow", organizationId);
  expect((await talk.exchange(clientId, to?.searchParams.get("code") ?? "")).status).toBe(200);
  expect(await keysOf()).toEqual([]);
  const [key] = await talk.appliance.app.domains.keys.keys(organizationId);
  expect(key?.memberId).toBe(memberId);
});

test("the retention job removes what has expired, and nothing else", async () => {
  const { clock } = talk.appliance.ports;
  const { db } = talk.appliance.app.domains;
  const counts = () =>
    ["grants", "codes", "tokens"].map(
      (table) => (db.prepare(`SELECT count(*) AS n FROM oauth_${table}`).get() as { n: number }).n,
    );
  const used = await talk.connect();
  const ended = await talk.connect();
  const [, key] = await keysOf();
  await talk.appliance.app.domains.keys.revokeKey(key?.id ?? 0, COMMAND_LINE);
  expect(counts()).toEqual([2, 2, 4]);
  await retain(db, clock);
  expect(counts()).toEqual([1, 2, 2]);
  clock.advance(2 * DAY_MS);
  await retain(db, clock);
  expect(counts()).toEqual([1, 0, 1]);
  const again = await talk.refresh(used.clientId, used.tokens.refresh_token);
  expect(again.status).toBe(200);
  expect((await talk.refresh(ended.clientId, ended.tokens.refresh_token)).status).toBe(400);
  expect((await talk.call(again.body.access_token)).status).toBe(200);
  clock.advance(37 * DAY_MS);
  await retain(db, clock);
  expect(counts()).toEqual([0, 0, 0]);
  expect((await keysOf()).length).toBe(2);
});

test("a client that refreshes all the time keeps at most 500 tokens of its grant", async () => {
  const { clock } = talk.appliance.ports;
  const { db } = talk.appliance.app.domains;
  const { clientId, tokens } = await talk.connect();
  let latest = tokens;
  for (let at = 0; at < 300; at += 1) {
    latest = (await talk.refresh(clientId, latest.refresh_token)).body;
    clock.advance(1_000);
  }
  await retain(db, clock);
  const count = "SELECT count(*) AS n FROM oauth_tokens";
  expect(db.prepare(count).get()).toEqual({ n: 500 });
  expect((await talk.call(latest.access_token)).status).toBe(200);
  expect((await talk.refresh(clientId, latest.refresh_token)).status).toBe(200);
});
