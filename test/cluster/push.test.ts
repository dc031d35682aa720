import { beforeEach, describe, expect, test } from "bun:test";
import type { Node } from "../support/cluster.ts";
import { channel, imported } from "../support/expectations.ts";
import { hasPostgres } from "../support/postgres.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";

/** Imported posts are sent to webhooks once, whichever node does the push, and even if both do. */

newClusterEachTest();
let key: string;

beforeEach(async () => {
  if (!hasPostgres) return;
  await imported(one, "channels", [channel(1)]);
  ({ key } = await one.customer({ access: "read_write" }));
  const webhook = await create("/v1/msgr/webhooks/", {
    url: "https://receiver.example/hook",
    channels: [1],
  });
  await create("/v1/msgr/alerts/", { name: "Birds", q: "синица", webhook });
  await pass(2);
  await cluster.copyAll();
});

async function create(path: string, body: object): Promise<number> {
  const answer = await one.request(path, {
    ...{ key, method: "POST", headers: { "content-type": "application/json" } },
    body: JSON.stringify(body),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id;
}

/** Lets minutes pass in which both nodes do what is due, at the same time. */
async function pass(minutes: number, nodes: readonly Node[] = cluster.nodes): Promise<void> {
  for (let time = 0; time < minutes; time++) {
    cluster.ports.clock.advance(60_000);
    await Promise.all(nodes.map(({ app }) => app.push.runDue()));
    await cluster.copyAll();
  }
}

const read = (node: Node, ids: readonly number[]) =>
  imported(
    node,
    "posts",
    ids.map((id) => ({
      ...{ id, channel: 1, text: `Синица ${id}` },
      published_at: new Date(cluster.ports.clock.now()).toISOString(),
    })),
  );

/** Posts that were sent, by event. */
function sent(): Record<string, number[]> {
  const all: Record<string, number[]> = {};
  for (const { body } of cluster.ports.network.posts) {
    const { event, posts = [] } = JSON.parse(body) as { event: string; posts?: { id: number }[] };
    all[event] = [...(all[event] ?? []), ...posts.map(({ id }) => id)].toSorted((a, b) => a - b);
  }
  return all;
}

describe.skipIf(!hasPostgres)("posts imported on both nodes", () => {
  test("are sent once each, as events and as matches of alerts, while both nodes do the push", async () => {
    await read(one, [1, 2, 3]);
    await read(other, [4, 5]);
    await pass(3);
    await read(other, [6]);
    await pass(3);
    const ids = [1, 2, 3, 4, 5, 6];
    expect(sent()).toMatchObject({ "post.created": ids, "post.matched": ids });
  });

  test("are sent by every node, though one alone puts them into events", async () => {
    const { network } = cluster.ports;
    network.answer = () => ({ status: 500 });
    await read(one, [1, 2]);
    await pass(1, [one]);
    const tried = network.posts.length;
    expect(tried).toBeGreaterThan(0);
    network.answer = () => ({ status: 200 });
    await read(one, [3]);
    // The other one makes the attempts that are due again, and leaves the new post alone.
    cluster.ports.clock.advance(10 * 60_000);
    await other.copy();
    await other.app.push.runDue(false);
    expect(network.posts.length).toBeGreaterThan(tried);
    expect(sent()["post.created"]).not.toContain(3);
    await cluster.copyAll();
    const before = network.posts.length;
    await one.app.push.runDue(false);
    expect(network.posts).toHaveLength(before);
    await pass(3);
    expect(new Set(sent()["post.created"])).toEqual(new Set([1, 2, 3]));
    expect(sent()["post.created"]?.filter((id) => id === 3)).toHaveLength(1);
  });

  test("are sent by the other node if the first one is gone", async () => {
    await read(one, [1, 2]);
    await pass(1, [one]);
    await read(one, [3]);
    await other.copy();
    await pass(4, [other]);
    expect(sent()).toMatchObject({ "post.created": [1, 2, 3], "post.matched": [1, 2, 3] });
  });

  test("are not queued on a node that copies them after they were sent", async () => {
    await read(one, [1, 2]);
    for (let minute = 0; minute < 3; minute++) {
      cluster.ports.clock.advance(60_000);
      await one.app.push.runDue();
    }
    await other.copy();
    for (const queue of ["read_posts", "alert_posts"]) {
      expect(other.db.prepare(`SELECT * FROM ${queue}`).all()).toEqual([]);
    }
    await pass(3);
    expect(sent()).toMatchObject({ "post.created": [1, 2], "post.matched": [1, 2] });
  });

  test("are sent once after PostgreSQL was unreachable", async () => {
    await read(one, [1, 2]);
    for (const { line } of cluster.nodes) line.cut();
    cluster.ports.clock.advance(60_000);
    await Promise.allSettled(cluster.nodes.map(({ app }) => app.push.runDue()));
    expect(sent()["post.matched"]).toBeUndefined();
    for (const { line } of cluster.nodes) line.mend();
    await Promise.allSettled(cluster.nodes.map((node) => node.copy()));
    await pass(4);
    expect(sent()).toMatchObject({ "post.created": [1, 2], "post.matched": [1, 2] });
  });
});
