import { describe, expect, test } from "bun:test";
import { clusterCommands } from "../../src/app/cluster-commands.ts";
import { forgetRemoved } from "../../src/cluster/link-to-cluster.ts";
import { readConfig } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { CLUSTER_SECRET, type Node } from "../support/cluster.ts";
import { channel, idsOf, imported } from "../support/expectations.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { hasPostgres } from "../support/postgres.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";

/**
 * Changes that are hard to replicate row by row; `close` compares all rows of both nodes after each test.
 */

newClusterEachTest();

const post = (id: number, more: object = {}) => ({
  ...{ id, channel: 1, text: `Post ${id}`, published_at: "2026-11-20T08:00:00Z" },
  ...more,
});

/** The commands of a node on another machine. They wait by the real clock. */
function joining(machine: Machine) {
  const config = readConfig({
    KANALOG_DB: machine.database,
    KANALOG_SECRET: CLUSTER_SECRET,
    KANALOG_CLUSTER: cluster.url,
    KANALOG_NODE: "joining",
  });
  const clock = { ...systemClock, now: cluster.ports.clock.now };
  return clusterCommands(config, { ...fakePorts(), clock });
}

async function found(node: Node, path: string): Promise<number[]> {
  await node.copy();
  return idsOf(await node.get(path));
}

describe.skipIf(!hasPostgres)("the other node has exactly", () => {
  test("channels that swap their handles", async () => {
    const handles = (first: string, second: string) =>
      imported(one, "channels", [channel(1, { handle: first }), channel(2, { handle: second })]);
    await handles("red", "blue");
    await other.copy();
    await handles("blue", "red");
    await other.copy();
    for (const node of [one, other]) {
      expect((await node.get("/v1/msgr/channels/1/")).body.handle).toBe("blue");
      expect((await node.get("/v1/msgr/channels/2/")).body.handle).toBe("red");
    }
  });

  test("channels that were merged or deleted, with their posts and searches", async () => {
    await imported(one, "channels", [
      channel(1, { title: "Синицы" }),
      channel(2, { title: "Снегири" }),
      channel(3, { title: "Свиристели" }),
    ]);
    await imported(one, "posts", [post(1), post(2, { channel: 2 }), post(3, { channel: 3 })]);
    await other.copy();
    await other.app.domains.channels.merge(1, 2, COMMAND_LINE);
    await one.app.domains.channels.delete(3, COMMAND_LINE);
    for (const node of [one, other]) {
      expect(await found(node, "/v1/msgr/channels/")).toEqual([2]);
      expect((await found(node, "/v1/msgr/channels/2/posts/")).toSorted()).toEqual([1, 2]);
      expect(await found(node, `/v1/msgr/channels/?q=${encodeURIComponent("синицы")}`)).toEqual([]);
    }
  });

  test("posts that were taken down or changed, in lists and in post search", async () => {
    await imported(one, "channels", [channel(1)]);
    await imported(one, "posts", [post(1, { text: "Синица" }), post(2, { text: "Снегирь" })]);
    await other.copy();
    for (const node of [one, other]) await node.app.postIndex.tick();
    await other.app.domains.posts.delete([1], COMMAND_LINE);
    await imported(other, "posts", [post(2, { text: "Свиристель" })]);
    await cluster.copyAll();
    const find = (text: string) => `/v1/msgr/posts/search/?q=${encodeURIComponent(text)}`;
    for (const node of [one, other]) {
      await node.app.postIndex.tick();
      expect(await found(node, "/v1/msgr/channels/1/posts/")).toEqual([2]);
      expect(await found(node, find("синица"))).toEqual([]);
      expect(await found(node, find("снегирь"))).toEqual([]);
      expect(await found(node, find("свиристель"))).toEqual([2]);
    }
  });

  test("posts of a channel that was changed after them, so that a joining node gets the posts first", async () => {
    await imported(one, "channels", [channel(1)]);
    // More than one transaction copies.
    const posts = 1_200;
    await imported(
      one,
      "posts",
      Array.from({ length: posts }, (_, at) => post(at + 1)),
    );
    await imported(one, "channels", [channel(1, { subscribers: 77 })]);
    const machine = createMachine();
    await joining(machine).join();
    const sql = "SELECT count(*) AS posts FROM searched_posts";
    expect(machine.query(sql)).toEqual([{ posts }]);
    expect(machine.query("SELECT * FROM post_search_stale")).toEqual([]);
    await machine.leave();
  });

  test("posts that were sent, of which a node that joins later queues none", async () => {
    await imported(one, "channels", [channel(1)]);
    const published = new Date(cluster.ports.clock.now()).toISOString();
    await imported(one, "posts", [post(2, { published_at: published })]);
    const { key } = await one.customer({ access: "read_write" });
    const create = async (path: string, body: object): Promise<number> => {
      const { status, body: made } = await one.request(path, {
        ...{ key, method: "POST", headers: { "content-type": "application/json" } },
        body: JSON.stringify(body),
      });
      expect(status).toBe(201);
      return made.id;
    };
    const url = "https://receiver.example/hook";
    const webhook = await create("/v1/msgr/webhooks/", { url, channels: [1] });
    await create("/v1/msgr/alerts/", { name: "Posts", q: "post", webhook });
    // An alert's row is written with each of its events, so only this one is copied before the post.
    await create("/v1/msgr/alerts/", { name: "Birds", q: "bird", webhook });
    // So many that the node does not get in one transaction what is written before and after them.
    const others = (from: number) =>
      imported(
        one,
        "channels",
        Array.from({ length: 600 }, (_, at) => channel(from + at)),
      );
    await others(1_000);
    await imported(one, "posts", [post(1, { published_at: published })]);
    for (let minute = 0; minute < 3; minute++) {
      cluster.ports.clock.advance(60_000);
      await one.app.push.runDue();
    }
    expect(cluster.ports.network.posts).toHaveLength(2);
    await others(2_000);
    await imported(one, "posts", [{ id: 2, views: 7 }]);
    await cluster.copyAll();
    await forgetRemoved(one.db, systemClock);
    const machine = createMachine();
    await joining(machine).join();
    expect(machine.query("SELECT id FROM posts ORDER BY id")).toEqual([{ id: 1 }, { id: 2 }]);
    expect(machine.query("SELECT * FROM read_posts")).toEqual([]);
    expect(machine.query("SELECT * FROM alert_posts")).toEqual([]);
    // An alert created there would miss posts if its file had given out more numbers than the others.
    const numbers = `SELECT name, seq FROM sqlite_sequence
      WHERE name IN ('read_posts', 'alert_posts') ORDER BY name`;
    expect(machine.query(numbers)).toEqual(one.db.prepare<object>(numbers).all());
    await machine.leave();
  });

  test("metrics, which a node that joins or is rebuilt has before its first night", async () => {
    const stored = (day: string, subscribers: number) => ({ channel: 1, day, subscribers });
    await imported(one, "channels", [channel(1, { subscribers: 300 })]);
    await imported(one, "stats", [stored("2026-11-12", 100), stored("2026-11-19", 300)]);
    const machine = createMachine();
    const metrics = () => machine.query("SELECT growth_7d FROM channel_metrics");
    await joining(machine).join();
    expect(metrics()).toEqual([{ growth_7d: 200 }]);
    await imported(one, "stats", [stored("2026-11-19", 350)]);
    await joining(machine).rebuild();
    expect(metrics()).toEqual([{ growth_7d: 250 }]);
    await machine.leave();
  });

  test("an organization's webhooks, and none of their rows after they are removed", async () => {
    await imported(one, "channels", [channel(1)]);
    const { key } = await one.customer({ access: "read_write" });
    const json = { "content-type": "application/json" };
    const { body } = await one.request("/v1/msgr/webhooks/", {
      ...{ key, method: "POST", headers: json },
      body: JSON.stringify({ url: "https://receiver.example/hook", channels: [1] }),
    });
    await other.copy();
    await other.request(`/v1/msgr/webhooks/${body.id}/`, { key, method: "DELETE" });
    await other.app.push.runDue();
    await one.copy();
    expect(one.db.prepare("SELECT * FROM webhook_channels").all()).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)("numbers", () => {
  test("are used once, even if both nodes create rows at the same time, and never again after a removal", async () => {
    const make = (node: Node) =>
      node.app.domains.accounts.createOrganization({ name: "N", plan: "test" }, COMMAND_LINE);
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, at) => make(at % 2 === 0 ? one : other)),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(20);
    const { key } = await one.customer({ access: "read_write" });
    await imported(one, "channels", [channel(1)]);
    const ids: number[] = [];
    for (const node of [one, other, one]) {
      const { body } = await node.request("/v1/msgr/webhooks/", {
        ...{ key, method: "POST", headers: { "content-type": "application/json" } },
        body: JSON.stringify({ url: "https://receiver.example/hook", channels: [1] }),
      });
      ids.push(body.id);
      await node.request(`/v1/msgr/webhooks/${body.id}/`, { key, method: "DELETE" });
      await node.app.push.runDue();
      await cluster.copyAll();
    }
    expect(one.db.prepare("SELECT 1 FROM webhooks").all()).toEqual([]);
    const [first = 0] = ids;
    expect(ids).toEqual([first, first + 1, first + 2]);
  });
});

test.skipIf(!hasPostgres)(
  "a node's own work, which waits for no other node, cannot change a shared row",
  async () => {
    await imported(one, "channels", [channel(1)]);
    const { clock } = cluster.ports;
    const change = inTransaction(one.db, clock, "metrics", (tx) =>
      tx.prepare("UPDATE channels SET subscribers = 7").run(),
    );
    await expect(change).rejects.toThrow("metrics changed rows of all nodes");
    expect((await one.get("/v1/msgr/channels/1/")).body.subscribers).toBe(1000);
    await imported(one, "channels", [channel(2)]);
  },
);
