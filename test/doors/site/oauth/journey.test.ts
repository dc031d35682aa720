import { expect, test } from "bun:test";
import { ISSUER, REDIRECT, startOAuthTalk } from "../../../support/oauth-client.ts";

test("a client registers, gets consent, exchanges its code and calls tools with its access token", async () => {
  const talk = await startOAuthTalk();
  const { status, body } = await talk.register();
  expect([status, body]).toEqual([
    201,
    {
      client_id: expect.stringMatching(/^[\w-]+\.[\w-]{43}$/),
      client_id_issued_at: expect.any(Number),
      client_name: "Assistant",
      redirect_uris: [REDIRECT],
      application_type: "web",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
  ]);
  const path = talk.askPath(body.client_id);
  const { html } = await talk.person.get(path);
  expect(html).toContain("<bdi>Assistant</bdi>");
  expect(html).toContain("You will be sent back to assistant.example.");
  const to = await talk.answer(path, "allow");
  expect(to?.origin).toBe("https://assistant.example");
  expect(to?.pathname).toBe("/back");
  expect(Object.fromEntries(to?.searchParams ?? [])).toEqual({
    code: expect.stringMatching(/^knl_oc_\w{38}$/),
    state: "a state",
    iss: ISSUER,
  });
  const exchanged = await talk.exchange(body.client_id, to?.searchParams.get("code") ?? "");
  expect(exchanged.headers.get("cache-control")).toBe("no-store");
  expect([exchanged.status, exchanged.body]).toEqual([
    200,
    {
      access_token: expect.stringMatching(/^knl_oa_\w{38}$/),
      refresh_token: expect.stringMatching(/^knl_or_\w{38}$/),
      expires_in: 3600,
      token_type: "Bearer",
      scope: "read",
    },
  ]);
  expect((await talk.call(exchanged.body.access_token)).status).toBe(200);
  const refreshed = await talk.refresh(body.client_id, exchanged.body.refresh_token);
  expect(refreshed.status).toBe(200);
  expect((await talk.call(refreshed.body.access_token)).status).toBe(200);
  expect(talk.appliance.ports.log.errors).toEqual([]);
  await talk.appliance.close();
});
