import { beforeEach, describe, expect, test } from "bun:test";
import { clusterCommands } from "../../src/app/cluster-commands.ts";
import { openCurrent } from "../../src/app/domains.ts";
import { nodeSettings, requireOwnName, requireSameClock } from "../../src/app/node-copy.ts";
import { createClusterLease } from "../../src/cluster/cluster-state.ts";
import { forgetNode } from "../../src/cluster/copy-newest.ts";
import { requireCluster } from "../../src/cluster/link.ts";
import { readConfig } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { ALWAYS_OWN } from "../../src/upkeep/lease/lease.ts";
import type { Customer } from "../support/appliance.ts";
import { CLUSTER_SECRET, type Node } from "../support/cluster.ts";
import { channel, imported } from "../support/expectations.ts";
import { fakeLog, fakePorts } from "../support/fake-ports.ts";
import { createMachine } from "../support/machine.ts";
import { hasPostgres } from "../support/postgres.ts";
import { openPostgresLine } from "../support/postgres-line.ts";
import { SCRAPED, scrape } from "../support/scrape.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";
import { addPerson, signedInVisitor } from "../support/visitor.ts";

/** Guarantees of a node while PostgreSQL is unreachable, or lost in the middle of a commit. */

const CARD = "/v1/msgr/channels/1/";

newClusterEachTest({ environment: SCRAPED });
let customer: Customer;

beforeEach(async () => {
  if (!hasPostgres) return;
  await imported(one, "channels", [channel(1, { title: "Птицы" })]);
  customer = await one.customer({ access: "read_write" });
  await cluster.copyAll();
});

const ask = (node: Node, path: string, init: RequestInit = {}) =>
  node.request(path, { key: customer.key, ...init });

const used = async (): Promise<number> => {
  await cluster.copyAll();
  return (await ask(one, "/v1/me/")).body.usage.used;
};

/** Why a node cannot copy, as the log would show it. */
const refusalToCopy = (node: Node): Promise<string> =>
  node.copy().then(
    () => "",
    ({ cause }) => String(cause),
  );

describe.skipIf(!hasPostgres)("while PostgreSQL is unreachable", () => {
  test("billed requests are 503 unavailable with Retry-After and cost nothing, and work again afterwards", async () => {
    expect((await ask(one, CARD)).status).toBe(200);
    one.line.cut();
    for (const path of [CARD, "/v1/msgr/channels/", "/v1/msgr/channels/1/posts/"]) {
      const { status, body, headers } = await ask(one, path);
      expect(body).toMatchObject({ code: "unavailable" });
      expect(status).toBe(503);
      expect(headers.get("retry-after")).toBe("1");
      expect(headers.get("x-request-cost")).toBe("0");
    }
    one.line.mend();
    expect((await ask(one, CARD)).status).toBe(200);
    expect(await used()).toBe(2);
  });

  test("billed requests wait only a few seconds if PostgreSQL stands still, and are not counted later", async () => {
    expect((await ask(one, CARD)).status).toBe(200);
    one.line.hold();
    const beganMs = performance.now();
    // The second waits for the first one's commit, and starts its own after that.
    const first = ask(one, CARD);
    await new Promise(setImmediate);
    const answers = await Promise.all([first, ask(one, CARD)]);
    for (const { status, body, headers } of answers) {
      expect(body).toMatchObject({ code: "unavailable" });
      expect(status).toBe(503);
      expect(headers.get("retry-after")).toBe("1");
    }
    expect(performance.now() - beganMs).toBeLessThan(15_000);
    await one.line.release();
    expect((await ask(one, CARD)).status).toBe(200);
    expect(await used()).toBe(2);
  });

  test("the other node, which reaches it, keeps working", async () => {
    one.line.cut();
    expect((await ask(other, CARD)).status).toBe(200);
  });

  test("free methods, documents and pages of signed-in people keep working", async () => {
    const { email } = await addPerson(one);
    const visitor = await signedInVisitor(one, email);
    expect((await visitor.get("/account/")).status).toBe(200);
    one.line.cut();
    for (const path of ["/v1/me/", "/v1/me/usage/", "/v1/msgr/categories/", "/docs/"]) {
      expect((await ask(one, path)).status, path).toBe(200);
    }
    expect((await visitor.get("/account/")).status).toBe(200);
    expect((await visitor.get("/account/keys/")).status).toBe(200);
  });

  test("changes are refused and leave nothing behind", async () => {
    one.line.cut();
    const { accounts } = one.app.domains;
    const made = accounts.createOrganization({ name: "Lost", plan: "profi" }, COMMAND_LINE);
    expect(await made.catch(({ code }) => code)).toBe("unavailable");
    const { status, body } = await ask(one, "/v1/msgr/webhooks/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: "https://receiver.example/hook", channels: [1] }),
    });
    expect(body).toMatchObject({ code: "unavailable" });
    expect(status).toBe(503);
    one.line.mend();
    const names = (await accounts.organizations()).map(({ name }) => name);
    expect(names).not.toContain("Lost");
  });

  test("the failing lease is logged once a minute, though it is tried every second", async () => {
    const ports = fakePorts();
    const lease = createClusterLease(ALWAYS_OWN, { url: one.line.url, owner: "third" }, ports);
    const look = async (): Promise<number> => {
      await lease.tick();
      ports.clock.advance(2_000);
      return ports.log.warnings.length;
    };
    expect(await look()).toBe(0);
    one.line.cut();
    expect([await look(), await look(), await look()]).toEqual([1, 1, 1]);
    ports.clock.advance(60_000);
    expect(await look()).toBe(2);
    one.line.mend();
    expect(await look()).toBe(2);
    await lease.leave();
  });

  test("/readyz reports it at once for usage, and beyond KANALOG_LAG_MAX for the copy", async () => {
    expect((await one.request("/readyz")).status).toBe(200);
    await one.copy();
    one.line.cut();
    // A copy that has been out of date for less than the limit is fine.
    cluster.ports.clock.advance(59_000);
    await ask(one, CARD);
    const usage = await one.request("/readyz");
    expect(usage.status).toBe(503);
    expect(usage.body.checks).toMatchObject({ database: "ok", cluster: "ok" });
    expect(usage.body.checks.usage).not.toBe("ok");
    cluster.ports.clock.advance(2_000);
    expect((await scrape(one)).get("kanalog_cluster_lag_seconds")).toBe(61);
    const { status, body } = await one.request("/readyz");
    expect(status).toBe(503);
    expect(body.checks.cluster).toBe("This node's copy of the cluster's rows is out of date.");
    one.line.mend();
    await one.copy().catch(one.copy);
    expect((await scrape(one)).get("kanalog_cluster_lag_seconds")).toBe(0);
    expect((await one.request("/readyz")).body.checks).toMatchObject({
      cluster: "ok",
      usage: "ok",
    });
  });

  test("a key that is revoked elsewhere gets free answers for at most KANALOG_LAG_MAX", async () => {
    const { token } = await one.app.domains.operatorKeys.create(
      { name: "ops", can: ["read"], expiresAt: null },
      COMMAND_LINE,
    );
    await cluster.copyAll();
    one.line.cut();
    await other.app.domains.keys.revokeKey(customer.keyId, COMMAND_LINE);
    const ofOperator = () => one.request("/operator/v1/plans/", { key: token });
    cluster.ports.clock.advance(59_000);
    expect((await ask(one, "/v1/me/")).status).toBe(200);
    expect((await ofOperator()).status).toBe(200);
    cluster.ports.clock.advance(2_000);
    for (const path of ["/v1/me/", "/v1/msgr/categories/"]) {
      const { status, body, headers } = await ask(one, path);
      expect(body).toMatchObject({ code: "unavailable" });
      expect(status).toBe(503);
      expect(headers.get("retry-after")).toBe("1");
    }
    expect((await ofOperator()).status).toBe(503);
    expect((await one.request("/docs/")).status).toBe(200);
    one.line.mend();
    await one.copy().catch(one.copy);
    expect((await ask(one, "/v1/me/")).status).toBe(401);
    expect((await ofOperator()).status).toBe(200);
  });

  test("a node's own work continues: its request log, its hours, its post index", async () => {
    await imported(one, "posts", [
      { id: 1, channel: 1, text: "Синица", published_at: "2026-11-20T08:00:00Z" },
    ]);
    await ask(one, "/v1/me/");
    one.line.cut();
    await one.app.flushRequests();
    await one.app.postIndex.tick();
    const count = (table: string) =>
      one.db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n;
    expect(count("request_log")).toBeGreaterThan(0);
    expect(count("searched_posts")).toBe(1);
    expect(cluster.ports.log.errors).toEqual([]);
  });
});

test.skipIf(!hasPostgres)(
  "a node whose clock is off by more than five seconds is refused at its start, or once PostgreSQL is back",
  async () => {
    const { db } = one;
    let offMs = 4_000;
    const clock = { ...systemClock, now: () => systemClock.now() + offMs };
    await requireSameClock(db, clock);
    offMs = -70_000;
    await expect(requireSameClock(db, clock)).rejects.toThrow("s behind PostgreSQL's");
    offMs = 70_000;
    await expect(requireSameClock(db, clock)).rejects.toThrow("s ahead of PostgreSQL's");
    one.line.cut();
    // Meanwhile the node serves its copy.
    await requireSameClock(db, clock);
    one.line.mend();
    // The first use of a connection that was just cut may be refused.
    await one.copy().catch(() => {});
    expect(await refusalToCopy(one)).toContain("s ahead of PostgreSQL's");
    offMs = 0;
    await one.copy();
  },
);

test.skipIf(!hasPostgres)(
  "a node with another node's name is refused at its start, or copies nothing once PostgreSQL is back",
  async () => {
    const named = (node: string) => ({ url: one.line.url, node });
    await other.copy();
    await requireOwnName(one.db, named("node1"));
    await expect(requireOwnName(one.db, named("node2"))).rejects.toThrow("node2");
    one.line.cut();
    await requireOwnName(one.db, named("node2"));
    one.line.mend();
    await imported(other, "channels", [channel(1, { title: "Рыбы" })]);
    // The first use of a connection that was just cut may be refused.
    await one.copy().catch(() => {});
    expect(await refusalToCopy(one)).toContain("node2");
    // Callers only learn that the key cannot be checked.
    const unknown = await one.request(CARD, { key: `${customer.key}x` });
    expect(unknown).toMatchObject({ status: 503, body: { code: "unavailable" } });
    const titles = one.db.prepare<{ title: string }>("SELECT title FROM channel_cards");
    expect(titles.all()).toEqual([{ title: "Птицы" }]);
    // The other node leaves.
    const { query } = requireCluster(one.db).authority;
    await forgetNode(query, "node2");
    await one.copy();
    await forgetNode(query, "node2");
    expect(titles.all()).toEqual([{ title: "Рыбы" }]);
  },
);

test.skipIf(!hasPostgres)("a start waits once for an unreachable PostgreSQL", async () => {
  const machine = createMachine();
  const line = await openPostgresLine(cluster.url);
  const environment = {
    KANALOG_DB: machine.database,
    KANALOG_SECRET: CLUSTER_SECRET,
    KANALOG_CLUSTER: line.url,
    KANALOG_NODE: "starting",
  };
  const config = readConfig(environment);
  await clusterCommands(config, { ...fakePorts(), clock: systemClock }).join();
  line.cut();
  const before = line.connections;
  const db = await openCurrent(config, { clock: systemClock, log: fakeLog() });
  await requireOwnName(db, nodeSettings(config));
  expect(line.connections).toBe(before + 1);
  db.close();
  await line.close();
  await machine.leave();
});

describe.skipIf(!hasPostgres)("a connection cut after PostgreSQL has committed", () => {
  test("loses nothing: the node gets its own change with the next copy and continues", async () => {
    const { accounts } = one.app.domains;
    one.line.loseNextCommit();
    const made = accounts.createOrganization({ name: "Kept", plan: "profi" }, COMMAND_LINE);
    expect(await made.catch(({ code }) => code)).toBe("unavailable");
    one.line.mend();
    const names = async (node: Node) =>
      (await node.app.domains.accounts.organizations()).filter(({ name }) => name === "Kept")
        .length;
    expect(await names(one)).toBe(0);
    await cluster.copyAll();
    expect(await names(one)).toBe(1);
    expect(await names(other)).toBe(1);
    const second = await accounts.createOrganization({ name: "Kept", plan: "profi" }, COMMAND_LINE);
    await other.copy();
    expect(await names(other)).toBe(2);
    const ids = (await accounts.organizations()).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(second.id).toBe(Math.max(...ids));
  });

  test("loses nothing of an import, whose next change follows the one before", async () => {
    one.line.loseNextCommit();
    const rows = Array.from({ length: 30 }, (_, at) => channel(100 + at));
    expect(await one.importRows("channels", rows).catch(({ code }) => code)).toBe("unavailable");
    one.line.mend();
    await imported(one, "channels", rows);
    await other.copy();
    const sql = "SELECT count(*) AS n FROM channels WHERE id BETWEEN 100 AND 129";
    expect(other.db.prepare<{ n: number }>(sql).get()).toEqual({ n: 30 });
  });
});
