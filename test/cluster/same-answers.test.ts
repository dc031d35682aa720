import { beforeEach, describe, expect, test } from "bun:test";
import { computeMetrics } from "../../src/catalog/metrics/compute-metrics.ts";
import { sharedTables } from "../../src/cluster/shared-tables.ts";
import type { Node } from "../support/cluster.ts";
import { channel, expectOk, idsOf, imported } from "../support/expectations.ts";
import { hasPostgres } from "../support/postgres.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";
import { expectDone, signedInMember, signedInVisitor } from "../support/visitor.ts";

/**
 * Queries on a node that imported none of the data: indexes and nightly jobs are its own, alerts are
 * shared.
 */

newClusterEachTest();
let key: string;

beforeEach(async () => {
  if (!hasPostgres) return;
  ({ key } = await one.customer({ access: "read_write" }));
  await imported(one, "channels", [
    channel(1, { handle: "target", subscribers: 1_000, category: "science" }),
    channel(2, { subscribers: 2_000, category: "science" }),
  ]);
  await imported(one, "stats", [
    ...[1, 2].map((id) => ({ channel: id, day: "2026-11-12", subscribers: 100 })),
    ...[1, 2].map((id) => ({ channel: id, day: "2026-11-19", subscribers: 1_000 * id })),
  ]);
  await imported(
    one,
    "posts",
    [1, 2, 3].map((id) => ({
      ...{ id, channel: 2, text: `Синица ${id} у @target`, views: 10 * id },
      published_at: `2026-11-19T1${id}:00:00+03:00`,
    })),
  );
  await cluster.copyAll();
});

const answers = (node: Node) => async (path: string) => (await expectOk(node, path, key)).body;
const BODIES = [
  "/v1/msgr/posts/search/?q=синицы",
  "/v1/msgr/posts/search/?q=синицы&ordering=-views",
  "/v1/msgr/channels/target/mentions/",
  "/v1/msgr/channels/1/similar/",
  "/v1/msgr/channels/compare/?channels=1,2&from=2026-11-01&to=2026-11-20",
  "/v1/msgr/channels/stats/",
  "/v1/msgr/export/posts/?format=ndjson",
  "/v1/msgr/export/stats/",
];

describe.skipIf(!hasPostgres)("on two nodes", () => {
  test("all queries have the same answers", async () => {
    for (const node of cluster.nodes) await node.app.postIndex.tick();
    for (const path of BODIES) {
      const here = await answers(one)(path);
      expect(JSON.stringify(here), path).toContain("2");
      expect(await answers(other)(path), path).toEqual(here);
    }
  });

  test("each node runs its own nightly jobs, which compute the same metrics and orders from the same rows", async () => {
    const metrics = async (node: Node) =>
      (await answers(node)("/v1/msgr/channels/2/?include=metrics")).metrics;
    await computeMetrics(one.db, cluster.ports.clock);
    await cluster.copyAll();
    expect(await metrics(one)).toMatchObject({ growth_7d: 1_900, posts_30d: 3, reach_30d: 20 });
    expect((await metrics(other)).growth_7d).toBeNull();
    await computeMetrics(other.db, cluster.ports.clock);
    expect(await metrics(other)).toEqual(await metrics(one));
    for (const node of cluster.nodes) {
      const list = await expectOk(node, "/v1/msgr/channels/?ordering=-growth_7d", key);
      expect(idsOf(list)).toEqual([2, 1]);
    }
  });

  test("an alert created on one is the other's too, with its preview, changes and removal", async () => {
    const call = (node: Node, method: string, path: string, body?: object) =>
      node.request(`/v1/msgr/${path}`, {
        ...{ key, method, headers: { "content-type": "application/json" } },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const webhook = { url: "https://receiver.example/hook", channels: [1] };
    const { id } = (await call(one, "POST", "webhooks/", webhook)).body;
    await other.copy();
    const alert = { name: "Birds", q: "синица", webhook: id };
    const made = await call(other, "POST", "alerts/", alert);
    expect(made.status).toBe(201);
    const address = `alerts/${made.body.id}/`;
    await one.copy();
    expect((await call(one, "GET", address)).body).toEqual(made.body);
    expect((await call(one, "POST", `${address}preview/`)).body.matches).toBe(3);
    await call(one, "PATCH", address, { name: "Tits" });
    await other.copy();
    expect((await call(other, "GET", address)).body.name).toBe("Tits");
    expect((await call(other, "DELETE", address)).status).toBe(204);
    await one.copy();
    expect((await call(one, "GET", address)).status).toBe(404);
  });

  test("a list saved on one is the member's on the other too", async () => {
    const path = "/account/channels/?category=science";
    const { organizationId } = await one.customer();
    const member = await signedInMember(one, organizationId, "member", "nina@example.com");
    expectDone(
      await member.post(path, { action: "save-list", name: "Science" }),
      "saved-list.create",
    );
    await other.copy();
    const elsewhere = await signedInVisitor(other, "nina@example.com");
    expect((await elsewhere.get(path)).html).toContain("<bdi>Science</bdi>");
    const removed = await elsewhere.post(path, { action: "delete-list", list: 1 });
    expectDone(removed, "saved-list.delete");
    await one.copy();
    expect((await member.get(path)).html).not.toContain("<bdi>Science</bdi>");
  });

  test("alerts and their queue are shared; indexes and nightly columns are not", () => {
    const shared = sharedTables(one.db).map(({ name }) => name);
    expect(shared).toEqual(expect.arrayContaining(["alerts", "alert_posts", "webhook_deliveries"]));
    for (const name of shared) expect(name).not.toMatch(/search|metric|order|stale/);
  });
});
