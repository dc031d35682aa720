import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

async function expectRefused(key: string, reason: string): Promise<void> {
  const answer = await appliance.request("/v1/me/", { key });
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual({ code: "authentication_failed", detail: reason });
  expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="kanalog"');
}

test("a request without a key is refused as not authenticated", async () => {
  for (const authorization of [undefined, "", "Bearer", "Bearer ", "Basic dTpw", "Token abc"]) {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await appliance.request("/v1/me/", { headers });
    expect(answer.status).toBe(401);
    expect(answer.body.code).toBe("not_authenticated");
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="kanalog"');
  }
});

test("a valid key is accepted with the scheme in any case", async () => {
  const { key } = await appliance.customer();
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const answer = await appliance.request("/v1/me/", {
      headers: { authorization: `${scheme} ${key}` },
    });
    expect(answer.status).toBe(200);
  }
});

test("a well-formed key that does not exist is refused", async () => {
  const elsewhere = await startAppliance();
  const { key } = await elsewhere.customer();
  await elsewhere.close();
  await expectRefused(key, "There is no such API key.");
});

test("a mistyped key is distinguished by its checksum from one that does not exist", async () => {
  const { key } = await appliance.customer();
  const last = key.at(-1) === "a" ? "b" : "a";
  const reason = "This is not a whole API key: check that it was copied without a mistake.";
  for (const mistyped of [key.slice(0, -1) + last, key.slice(0, -1), "nonsense"]) {
    await expectRefused(mistyped, reason);
  }
});

test("a revoked key is refused from the next request on", async () => {
  const { key, keyId } = await appliance.customer();
  expect((await appliance.request("/v1/me/", { key })).status).toBe(200);
  await appliance.app.domains.keys.revokeKey(keyId, COMMAND_LINE);
  await expectRefused(key, "This API key was revoked.");
});

test("an expired key is refused from the first instant after its last day", async () => {
  const expiresAt = Date.parse("2026-12-01T00:00:00+03:00");
  const { key } = await appliance.customer({ expiresAt });
  appliance.ports.clock.set("2026-11-30T23:59:59.999+03:00");
  expect((await appliance.request("/v1/me/", { key })).status).toBe(200);
  appliance.ports.clock.set("2026-12-01T00:00:00+03:00");
  await expectRefused(key, "This API key has expired.");
});

test("the key of a suspended member is refused until the member is reinstated", async () => {
  const { key, memberId } = await appliance.customer();
  await appliance.app.domains.accounts.suspendMember(memberId, COMMAND_LINE);
  await expectRefused(key, "The member of this API key is suspended.");
  await appliance.app.domains.accounts.reinstateMember(memberId, COMMAND_LINE);
  expect((await appliance.request("/v1/me/", { key })).status).toBe(200);
});

test("the key of an archived organization is refused until the organization is restored", async () => {
  const { key, organizationId } = await appliance.customer();
  await appliance.app.domains.accounts.archiveOrganization(organizationId, COMMAND_LINE);
  await expectRefused(key, "The organization of this API key is archived.");
  await appliance.app.domains.accounts.restoreOrganization(organizationId, COMMAND_LINE);
  expect((await appliance.request("/v1/me/", { key })).status).toBe(200);
});
