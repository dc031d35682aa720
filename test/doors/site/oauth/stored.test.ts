import { afterEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../../src/customers/audit/audit-log.ts";
import { systemRandom } from "../../../../src/ports/ports.ts";
import { type FakePorts, fakePorts } from "../../../support/fake-ports.ts";
import { createMachine, type Machine } from "../../../support/machine.ts";
import { startOAuthTalk, startWithOAuth } from "../../../support/oauth-client.ts";

/** Grants in a file, with cached keys and tokens, and other connections that write. */

let machine: Machine | null = null;
afterEach(async () => {
  await machine?.leave();
  machine = null;
});

const onFile = (setting: "on" | "off", ports?: FakePorts) => {
  machine ??= createMachine();
  const environment = {
    KANALOG_DB: machine.database,
    KANALOG_SECRET: "a secret text of at least thirty-two characters",
    KANALOG_OAUTH: setting,
  };
  return startWithOAuth(environment, ports);
};

const startOnFile = async () => startOAuthTalk(await onFile("on"));

test("a cached token stops working once it has expired, is revoked, or its person is suspended", async () => {
  const talk = await startOnFile();
  const { accounts, keys } = talk.appliance.app.domains;
  const { clientId, tokens } = await talk.connect();
  const status = async (token: string) => (await talk.call(token)).status;
  expect(await status(tokens.access_token)).toBe(200);
  expect(await status(tokens.access_token)).toBe(200);

  await accounts.suspendMember(talk.memberId, COMMAND_LINE);
  expect(await status(tokens.access_token)).toBe(401);
  await accounts.reinstateMember(talk.memberId, COMMAND_LINE);
  expect(await status(tokens.access_token)).toBe(200);

  const second = (await talk.refresh(clientId, tokens.refresh_token)).body;
  expect(await status(second.access_token)).toBe(200);
  // Threads, which created the tokens, use the machine's own clock.
  const { clock } = talk.appliance.ports;
  clock.set(new Date(Date.now() + 3_601_000).toISOString());
  expect(await status(tokens.access_token)).toBe(401);
  expect(await status(second.access_token)).toBe(401);
  clock.set(new Date().toISOString());
  expect(await status(second.access_token)).toBe(200);
  const [key] = await keys.keys(talk.organizationId);
  await keys.revokeKey(key?.id ?? 0, COMMAND_LINE);
  expect(await status(second.access_token)).toBe(401);
  await talk.appliance.close();
});

test("an exchange interrupted by a storage failure uses nothing up: it succeeds when repeated", async () => {
  const talk = await startOnFile();
  const { db } = talk.appliance.app.domains;
  const broken = async (work: () => Promise<{ status: number; body: { error: string } }>) => {
    db.exec(`CREATE TRIGGER broken BEFORE INSERT ON oauth_tokens WHEN new.kind = 'refresh'
      BEGIN SELECT RAISE(ABORT, 'broken'); END`);
    const { status, body } = await work();
    expect([status, body.error]).toEqual([500, "server_error"]);
    db.exec("DROP TRIGGER broken");
  };
  const clientId = (await talk.register()).body.client_id;
  const to = await talk.answer(talk.askPath(clientId), "allow");
  const code = to?.searchParams.get("code") ?? "";
  await broken(() => talk.exchange(clientId, code));
  expect(await talk.appliance.app.domains.keys.keys(talk.organizationId)).toEqual([]);
  const { status, body } = await talk.exchange(clientId, code);
  expect(status).toBe(200);
  await broken(() => talk.refresh(clientId, body.refresh_token));
  expect((await talk.refresh(clientId, body.refresh_token)).status).toBe(200);
  // Each was logged for the operator, without a secret in it.
  const logged = JSON.stringify(talk.appliance.ports.log.errors);
  expect(talk.appliance.ports.log.errors).toHaveLength(2);
  expect(logged).not.toMatch(/knl_o[acr]_\w/);
  await talk.appliance.close();
});

test("two processes that refresh one token at once lose no grant, a hundred times", async () => {
  const talk = await startOnFile();
  // With other random bytes than the first one.
  const other = await onFile("on", { ...fakePorts(), random: systemRandom });
  const { clientId, tokens } = await talk.connect();
  const refreshAt = (appliance: typeof other, token: string) =>
    appliance.request("/oauth/token", {
      method: "POST",
      body: new URLSearchParams({
        ...{ grant_type: "refresh_token", client_id: clientId, refresh_token: token },
      }),
    });
  let token = tokens.refresh_token;
  for (let at = 0; at < 100; at += 1) {
    const answers = await Promise.all([refreshAt(talk.appliance, token), refreshAt(other, token)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    // Either may be the one that a store shared by both keeps.
    token = answers[at % 2]?.body.refresh_token;
    talk.appliance.ports.clock.advance(1_000);
    other.ports.clock.advance(1_000);
  }
  expect(await talk.appliance.app.domains.keys.keys(talk.organizationId)).toHaveLength(1);
  await other.close();
  await talk.appliance.close();
});

test("turning it off refuses all tokens from the next start, and turning it on accepts them again", async () => {
  const talk = await startOnFile();
  const { tokens } = await talk.connect();
  await talk.appliance.close();
  for (const [setting, status] of [
    ["off", 401],
    ["on", 200],
  ] as const) {
    const again = await onFile(setting);
    const answer = await again.request("/v1/me/", { key: tokens.access_token });
    expect([setting, answer.status]).toEqual([setting, status]);
    await again.close();
  }
});
