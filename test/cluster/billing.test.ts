import { beforeEach, describe, expect, test } from "bun:test";
import pg from "pg";
import { copyFromCluster } from "../../src/cluster/cluster-transaction.ts";
import { copyUsage } from "../../src/cluster/copy-usage.ts";
import { copiedVersion, requireCluster } from "../../src/cluster/link.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import type { Answer, Customer } from "../support/appliance.ts";
import type { Node } from "../support/cluster.ts";
import { channel, imported } from "../support/expectations.ts";
import { hasPostgres } from "../support/postgres.ts";
import { cluster, one, oneClusterForAll, other } from "../support/two-nodes.ts";
import { until } from "../support/until.ts";
import { addPerson, signedInVisitor } from "../support/visitor.ts";

/** PostgreSQL commits units, and checks that the caller's account has not changed. */

const CARD = "/v1/msgr/channels/1/";
const POSTS = "/v1/msgr/channels/1/posts/";
/** Quota of the plan Start in a new database. */
const QUOTA = 30_000;

oneClusterForAll();
let customer: Customer;

beforeEach(async () => {
  if (!hasPostgres) return;
  // Undoes what the previous test set.
  await quota(QUOTA);
  await imported(one, "channels", [channel(1)]);
  customer = await one.customer({ plan: "start", access: "read_write" });
  await other.copy();
});

const ask = (node: Node, path = CARD): Promise<Answer> => node.request(path, { key: customer.key });

/** Units that all nodes together have counted for the test's customers. */
async function units(customers: readonly Customer[] = [customer]): Promise<number> {
  await cluster.copyAll();
  return usedIn(one, customers);
}

function usedIn({ db }: Node, customers: readonly Customer[] = [customer]): number {
  const sql = `
    SELECT coalesce(sum(used), 0) AS used FROM usage_periods
    WHERE organization_id IN (SELECT value FROM json_each(?))`;
  const organizations = JSON.stringify(customers.map(({ organizationId }) => organizationId));
  return db.prepare<{ used: number }>(sql).get(organizations)?.used ?? 0;
}

const quota = (requestsPerPeriod: number) =>
  one.app.domains.accounts.changePlan("start", { requestsPerPeriod }, COMMAND_LINE);

describe.skipIf(!hasPostgres)("over two nodes", () => {
  test("the quota is never exceeded, and can be used to its last unit", async () => {
    await quota(50);
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, at) => ask(at % 2 === 0 ? one : other)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(50);
    expect(statuses.filter((status) => status === 429)).toHaveLength(70);
    expect(await units()).toBe(50);
    const refused = () =>
      one.db
        .prepare<{ requests: number }>(
          `SELECT sum(requests) AS requests FROM usage_days
           WHERE status = 429 AND organization_id = ?`,
        )
        .get(customer.organizationId)?.requests;
    // Some are refused by the node alone, and counted after their answers.
    for (let looks = 0; looks < 100 && refused() !== 70; looks++) await cluster.copyAll();
    expect(refused()).toBe(70);
  });

  test("a quota that is far at first is used exactly, while both nodes count at the same time", async () => {
    const wanted = 1_150;
    await quota(wanted);
    await other.copy();
    const before = await units();
    const statuses = new Map<number, number>();
    for (let round = 0; round < 26; round++) {
      const asked = Array.from({ length: 50 }, (_, at) => ask(at % 2 === 0 ? one : other));
      for (const { status } of await Promise.all(asked)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
    expect([...statuses]).toEqual([
      [200, wanted],
      [429, 150],
    ]);
    expect((await units()) - before).toBe(wanted);
  });

  test("a commit that is under way on one node holds up nobody on the other, unless the quota is near", async () => {
    const client = new pg.Client({ connectionString: cluster.url });
    await client.connect();
    const { organizationId, keyId } = customer;
    const entry = [organizationId, keyId, "free", 200, 0, null, QUOTA, 1, 1, false];
    const begin = async (exact: number[]): Promise<void> => {
      await client.query("BEGIN");
      await client.query(
        `SELECT kanalog.charge(31, $1, s.version, c.mark, $2, $3, '[]')
         FROM kanalog.state s JOIN kanalog.commits c USING (version)`,
        [cluster.ports.clock.now(), exact, JSON.stringify([entry])],
      );
    };
    try {
      await begin([]);
      expect((await ask(one)).status).toBe(200);
      expect((await ask(other)).status).toBe(200);
      await client.query("COMMIT");

      await quota(500);
      await other.copy();
      await begin([organizationId]);
      let isAnswered = false;
      const asked = ask(other).then(({ status }) => {
        isAnswered = true;
        return status;
      });
      await until(async () => {
        const sql = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
        return (await client.query(sql)).rowCount === 1;
      }, "the wait for the lock");
      expect(isAnswered).toBe(false);
      await client.query("COMMIT");
      expect(await asked).toBe(200);
    } finally {
      await client.end();
    }
  });

  test("each answer reports what is left after it, and no two report the same", async () => {
    await quota(100);
    await other.copy();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => ask(at % 2 === 0 ? one : other)),
    );
    const left = answers.map(({ headers }) =>
      Number(/"quota";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]),
    );
    expect(left.toSorted((a, b) => b - a)).toEqual(Array.from({ length: 40 }, (_, at) => 99 - at));
  });

  test("concurrent requests of many organizations are all counted, without a deadlock", async () => {
    const customers = await Promise.all(Array.from({ length: 6 }, () => one.customer()));
    await other.copy();
    await Promise.all(
      Array.from({ length: 120 }, async (_, at) => {
        const { key } = customers[(at * 5) % 6] as Customer;
        const { status } = await (at % 2 === 0 ? one : other).request(CARD, { key });
        expect(status).toBe(200);
      }),
    );
    expect(await units(customers)).toBe(120);
  });

  test("usage counted on one node is shown by the other", async () => {
    await ask(one);
    await ask(one);
    await other.copy();
    expect((await ask(other, "/v1/me/")).body.usage.used).toBe(2);
    const days = (await ask(other, "/v1/me/usage/")).body;
    expect(JSON.stringify(days)).toContain('"units":2');
  });

  test("refused requests and the parts of an export are counted as on one machine", async () => {
    await imported(
      one,
      "channels",
      Array.from({ length: 2_001 }, (_, at) => channel(at + 1)),
    );
    await other.copy();
    const exporting = await one.customer();
    await other.copy();
    const path = "/v1/msgr/export/channels/?format=ndjson";
    expect((await other.request(path, { key: exporting.key })).status).toBe(200);
    await quota(2);
    await other.copy();
    for (const status of [200, 200, 429, 429]) expect((await ask(other)).status).toBe(status);
    const counted = ({ organizationId }: Customer) =>
      one.db
        .prepare<{ method: string; status: number; requests: number; units: number }>(
          `SELECT method, status, requests, units FROM usage_days
           WHERE organization_id = ? ORDER BY status`,
        )
        .all(organizationId);
    // Refused requests are counted after their answers.
    const requests = () => counted(customer).reduce((sum, row) => sum + row.requests, 0);
    for (let looks = 0; looks < 100 && requests() < 4; looks++) await cluster.copyAll();
    expect(counted(exporting)).toEqual([
      { method: "msgr_export_channels_retrieve", status: 200, requests: 1, units: 3 },
    ]);
    expect(counted(customer)).toEqual([
      { method: "msgr_channels_retrieve", status: 200, requests: 2, units: 2 },
      { method: "msgr_channels_retrieve", status: 429, requests: 2, units: 0 },
    ]);
  });

  test("a key's last use on one node is shown by the other, and no earlier use replaces it", async () => {
    const { clock } = cluster.ports;
    await ask(one);
    // The other node's clock is a little behind, and its copy does not know of that use yet.
    clock.advance(-60_000);
    await ask(other);
    clock.advance(60_000);
    await one.app.services.copyNewest();
    await other.copy();
    const [key] = await other.app.domains.keys.keys(customer.organizationId);
    expect(key?.lastUsedAt).toBe(clock.now());
  });

  test("the last use of a key created and used between copying rows and usage is shown too", async () => {
    const { clock } = cluster.ports;
    let made = 0;
    await copyUsage(other.db, clock, async () => {
      const version = await copyFromCluster(other.db, clock);
      const { key, organizationId } = await one.customer();
      expect((await one.request(CARD, { key })).status).toBe(200);
      await one.app.services.copyNewest();
      made = organizationId;
      return version;
    });
    await other.copy();
    const [key] = await other.app.domains.keys.keys(made);
    expect(key?.lastUsedAt).toBe(clock.now());
  });

  test("copying what others have counted and changed takes four queries to PostgreSQL, and one less if nothing was counted", async () => {
    await one.copy();
    const before = one.line.questions;
    await one.copy();
    expect(one.line.questions - before).toBe(3);
    expect((await ask(other)).status).toBe(200);
    const counted = one.line.questions;
    await one.copy();
    expect(one.line.questions - counted).toBe(4);
  });

  test("a year of usage is copied completely, in pages", async () => {
    const days = 4_500;
    const client = new pg.Client({ connectionString: cluster.url });
    await client.connect();
    await client.query(
      `INSERT INTO kanalog.usage_days
       SELECT $1, day, 'free', $2, 200, 30, 1, 0, day FROM generate_series(1, ${days}) AS day`,
      [customer.organizationId, customer.keyId],
    );
    await client.query(`UPDATE kanalog.lanes SET commits = ${days} WHERE lane = 30`);
    await client.end();
    await cluster.copyAll();
    for (const { db } of cluster.nodes) {
      const sql = "SELECT count(*) AS days FROM usage_days WHERE organization_id = ?";
      expect(db.prepare(sql).get(customer.organizationId)).toEqual({ days });
      const cursors = "SELECT name FROM pg_cursors";
      expect(await requireCluster(db).authority.query(cursors)).toEqual([]);
    }
  });
});

describe.skipIf(!hasPostgres)(
  "after a change on one node, at the next billed request of the other",
  () => {
    /** Requests the other node before anything of the change has reached it. */
    async function expectRefusedAtOnce(
      status: number,
      expected: object,
      path = CARD,
    ): Promise<void> {
      expect(copiedVersion(other.db)).toBeLessThan(copiedVersion(one.db));
      await one.copy();
      const counted = usedIn(one);
      const answer = await ask(other, path);
      expect(answer.body).toMatchObject(expected);
      expect(answer.status).toBe(status);
      expect(await units()).toBe(counted);
    }

    /**
     * Holds up the commit that counts the customer's first request on the other node, for as long as `work`
     * takes. @param work returns what to expect after it
     */
    async function whileCounting(
      work: (first: Promise<Answer>) => Promise<() => Promise<void>>,
    ): Promise<void> {
      const client = new pg.Client({ connectionString: cluster.url });
      await client.connect();
      try {
        await client.query("BEGIN");
        await client.query("SELECT pg_advisory_xact_lock(7361, $1)", [customer.organizationId]);
        const first = ask(other);
        await until(async () => {
          const sql = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
          return (await client.query(sql)).rowCount === 1;
        }, "the wait for the lock");
        const expectAfterwards = await work(first);
        await client.query("COMMIT");
        await expectAfterwards();
        await first;
      } finally {
        await client.end();
      }
    }

    beforeEach(async () => {
      // The customer is known to the other node, caches included.
      if (hasPostgres) expect((await ask(other)).status).toBe(200);
    });

    test("a revoked key is refused", async () => {
      await one.app.domains.keys.revokeKey(customer.keyId, COMMAND_LINE);
      await expectRefusedAtOnce(401, { detail: "This API key was revoked." });
    });

    test("a revoked key is refused, even if the copy learns of it while the request waits to be counted", async () => {
      await whileCounting(async (first) => {
        await one.app.domains.keys.revokeKey(customer.keyId, COMMAND_LINE);
        const second = ask(other);
        await other.copy();
        return async () => {
          expect((await second).status).toBe(401);
          expect((await first).status).toBe(401);
        };
      });
    });

    test("a suspended member's download is refused, even if the copy learns of it while it waits to be counted", async () => {
      const { organizationId } = customer;
      const { accounts, keys } = one.app.domains;
      await accounts.givePlan(organizationId, "profi", null, COMMAND_LINE);
      const { memberId } = await addPerson(one, { organizationId, email: "eve@example.com" });
      const own = { memberId, name: "own", access: "read_only", expiresAt: null } as const;
      await keys.createKey(own, COMMAND_LINE);
      await other.copy();
      const eve = await signedInVisitor(other, "eve@example.com");
      const page = "/account/channels/";
      const sent = { action: "export", csrf: await eve.csrf(page) };
      const { limits } = other.app.services;
      const { charge } = limits;
      try {
        await whileCounting(async () => {
          const { promise: isCharging, resolve } = Promise.withResolvers<void>();
          limits.charge = (...request) => {
            resolve();
            return charge(...request);
          };
          const download = eve.post(page, sent);
          await isCharging;
          await accounts.suspendMember(memberId, COMMAND_LINE);
          await other.copy();
          return async () => {
            const answer = await download;
            expect(answer.headers.get("content-disposition")).toBeNull();
            expect(answer.status).toBe(401);
          };
        });
      } finally {
        limits.charge = charge;
      }
    });

    test("a suspended member is refused", async () => {
      const { organizationId } = customer;
      await one.app.domains.accounts.addMember(
        { organizationId, email: "bob@example.com", name: "Bob", role: "owner" },
        COMMAND_LINE,
      );
      await one.app.domains.accounts.suspendMember(customer.memberId, COMMAND_LINE);
      await expectRefusedAtOnce(401, { detail: "The member of this API key is suspended." });
    });

    test("an archived organization is refused", async () => {
      await one.app.domains.accounts.archiveOrganization(customer.organizationId, COMMAND_LINE);
      await expectRefusedAtOnce(401, { detail: "The organization of this API key is archived." });
    });

    test("a plan without the method refuses it", async () => {
      expect((await ask(other, POSTS)).status).toBe(200);
      await one.app.domains.accounts.givePlan(customer.organizationId, "test", null, COMMAND_LINE);
      await expectRefusedAtOnce(403, { code: "tariff_required" }, POSTS);
    });

    test("a plan with the method allows it", async () => {
      await one.app.domains.accounts.givePlan(customer.organizationId, "test", null, COMMAND_LINE);
      await other.copy();
      expect((await ask(other, POSTS)).status).toBe(403);
      await one.app.domains.accounts.givePlan(customer.organizationId, "profi", null, COMMAND_LINE);
      await other.copy();
      expect((await ask(other, POSTS)).status).toBe(200);
    });

    test("a smaller quota applies", async () => {
      await quota(1);
      await expectRefusedAtOnce(429, { code: "quota_exceeded" });
    });

    test("a larger quota applies", async () => {
      await quota(1);
      await other.copy();
      expect((await ask(other)).status).toBe(429);
      await quota(2);
      expect((await ask(one)).status).toBe(200);
    });

    test("the answer reports the quota by which it was counted", async () => {
      await quota(50);
      expect(copiedVersion(other.db)).toBeLessThan(copiedVersion(one.db));
      const { headers } = await ask(other);
      expect(headers.get("ratelimit-policy")).toContain('"quota";q=50');
      expect(headers.get("ratelimit")).toContain('"quota";r=');
      expect(Number(/"quota";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])).toBeLessThan(50);
    });

    test("changes of another organization refuse nobody", async () => {
      const second = await one.customer();
      await one.app.domains.keys.revokeKey(second.keyId, COMMAND_LINE);
      expect((await ask(other)).status).toBe(200);
      expect(await units([customer, second])).toBe(2);
    });

    test("of forty keys revoked under load, none is billed after the revocation was acknowledged", async () => {
      const customers: Customer[] = [];
      for (let at = 0; at < 40; at++) customers.push(await one.customer());
      await other.copy();
      const counted = await units(customers);
      for (const { keyId, key } of customers) {
        const before = other.request(CARD, { key });
        const revoked = one.app.domains.keys.revokeKey(keyId, COMMAND_LINE);
        await revoked;
        expect((await other.request(CARD, { key })).status).toBe(401);
        await before;
      }
      expect(await units(customers)).toBeLessThanOrEqual(counted + 40);
    });
  },
);

test.skipIf(!hasPostgres)(
  "a copy of a history that PostgreSQL has lost bills nothing, whatever it knows of the key",
  async () => {
    expect((await ask(other)).status).toBe(200);
    const counted = await units();
    const mark = "UPDATE kanalog.commits SET mark = gen_random_uuid() WHERE version = ";
    const { authority } = requireCluster(one.db);
    // As after its backup was restored and as many other commits were made.
    const [was] = await authority.query<{ mark: string }>(
      "SELECT mark::text FROM kanalog.commits ORDER BY version DESC LIMIT 1",
    );
    await authority.query(`${mark} ${copiedVersion(other.db)}`);
    const { status, body } = await ask(other);
    await authority.query({
      text: "UPDATE kanalog.commits SET mark = $1 WHERE version = $2",
      values: [was?.mark, copiedVersion(other.db)],
    });
    expect(body).toMatchObject({ code: "unavailable" });
    expect(status).toBe(503);
    expect(await units()).toBe(counted);
  },
);
