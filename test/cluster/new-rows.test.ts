import { beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { createToken } from "../../src/customers/keys/key-token.ts";
import type { Node } from "../support/cluster.ts";
import { channel, expectOk, imported } from "../support/expectations.ts";
import { ISSUER, startOAuthTalk } from "../support/oauth-client.ts";
import { hasPostgres } from "../support/postgres.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";
import { until } from "../support/until.ts";
import { addPerson, visitorOf } from "../support/visitor.ts";

newClusterEachTest({ environment: { KANALOG_OAUTH: "on", KANALOG_BASE_URL: ISSUER } });

beforeEach(async () => {
  if (!hasPostgres) return;
  await imported(one, "channels", [channel(1)]);
  await other.copy();
});

test.skipIf(!hasPostgres)(
  "the address that creates the first account works on all nodes",
  async () => {
    const path = await one.app.setUpPath();
    for (const node of cluster.nodes) expect((await node.request(path ?? "")).status).toBe(200);
    expect((await other.request(`${path}0`)).status).toBe(404);
    cluster.ports.clock.advance(30 * 60_000);
    expect((await other.request(path ?? "")).status).toBe(404);
  },
);

describe.skipIf(!hasPostgres)(
  "created on one node, used at once on the other, which has not copied it",
  () => {
    test("a key works for billed methods, free ones and assistants", async () => {
      for (const path of ["/v1/msgr/channels/1/", "/v1/me/"]) {
        const { key } = await one.customer();
        expect((await other.request(path, { key })).status, path).toBe(200);
      }
      const { key } = await one.customer();
      expect(await listTools(other, key)).toBe(200);
    });

    test("a key works that arrives with a copy begun before the request", async () => {
      for (let time = 0; time < 3; time++) {
        const { key } = await one.customer();
        const copying = other.copy();
        expect((await other.request("/v1/me/", { key })).status).toBe(200);
        await copying;
      }
    });

    test("an unknown key is still refused", async () => {
      expect((await other.request("/v1/me/", { key: "kan_unknown" })).status).toBe(401);
    });

    test("a key of the operator's API works, and costs its network no attempt", async () => {
      const path = "/operator/v1/organizations/";
      for (let time = 0; time < 12; time++) {
        const { operatorKeys } = one.app.domains;
        const wanted = { name: "billing", can: ["read" as const], expiresAt: null };
        const { token } = await operatorKeys.create(wanted, COMMAND_LINE);
        expect((await other.request(path, { key: token })).status).toBe(200);
      }
      const unknown = createToken("knl_op_", cluster.ports.random);
      expect((await other.request(path, { key: unknown })).status).toBe(401);
    });

    test("a person who signs in on one node is signed in on the other", async () => {
      const { email } = await addPerson(one);
      // Cookies of tests are signed with what a node's first person was created with.
      await addPerson(other, { email: "bob@example.com" });
      await cluster.copyAll();
      const visitor = visitorOf(one);
      expect((await visitor.signIn(email)).status).toBe(303);
      const elsewhere = visitorOf(other);
      for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);
      const page = await elsewhere.get("/account/");
      expect(page.location).toBeNull();
      expect(page.status).toBe(200);
    });

    test("an assistant's access token works", async () => {
      const { call, connect } = await startOAuthTalk(one);
      const { tokens } = await connect();
      expect((await call(tokens.access_token)).status).toBe(200);
      expect(await listTools(other, tokens.access_token)).toBe(200);
    });

    test("a customer's webhook can be read, changed and removed on either node", async () => {
      const { key } = await one.customer({ access: "read_write" });
      const json = { "content-type": "application/json" };
      const { body } = await one.request("/v1/msgr/webhooks/", {
        ...{ key, method: "POST", headers: json },
        body: JSON.stringify({ url: "https://receiver.example/hook", channels: [1] }),
      });
      const path = `/v1/msgr/webhooks/${body.id}/`;
      const changed = await other.request(path, {
        ...{ key, method: "PATCH", headers: json },
        body: JSON.stringify({ url: "https://receiver.example/other" }),
      });
      expect(changed.status).toBe(200);
      expect((await one.request(path, { key, method: "DELETE" })).status).toBe(204);
    });
  },
);

/** @returns the status of an assistant's request for the list of tools */
async function listTools(node: Node, key: string): Promise<number> {
  const { status } = await node.request("/v1/mcp/", {
    ...{ key, method: "POST" },
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  return status;
}

describe.skipIf(!hasPostgres)("the catalog", () => {
  test("shows a channel imported on one node on the other once it has copied", async () => {
    await imported(one, "channels", [channel(7, { title: "Птицы средней полосы" })]);
    await other.copy();
    const path = `/v1/msgr/channels/?q=${encodeURIComponent("птицы")}`;
    expect((await expectOk(other, path)).body.results).toMatchObject([{ id: 7 }]);
  });

  test("is copied by a node that is notified of a commit", async () => {
    other.line.hearsNotices = true;
    await imported(one, "channels", [channel(7)]);
    const { key } = await one.customer();
    const isThere = () =>
      other.db.prepare("SELECT 1 FROM channels WHERE id = 7").get() !== undefined;
    await until(isThere, "the channel on the other node");
    expect((await other.request("/v1/msgr/channels/7/", { key })).status).toBe(200);
  });
});
