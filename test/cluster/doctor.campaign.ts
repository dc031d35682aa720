import { beforeEach, describe, expect, test } from "bun:test";
import { connect, createServer } from "node:net";
import pg from "pg";
import { clusterCommands } from "../../src/app/cluster-commands.ts";
import { readConfig } from "../../src/config.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { CLUSTER_SECRET } from "../support/cluster.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { createMachine } from "../support/machine.ts";
import { hasPostgres, newPostgresDatabase, startPostgres } from "../support/postgres.ts";
import { cluster, one, oneClusterForAll } from "../support/two-nodes.ts";
import { until } from "../support/until.ts";

/** `kanalog cluster doctor`: each fault that it looks for is made once, and found. */

oneClusterForAll();

/** Answers of Patroni's REST interface by path; null where nobody answers. */
let patroni: (host: string, path: string) => unknown;
let clockOffMs = 0;
let freeBytes = 1e12;

const GOOD: Record<string, unknown> = {
  "/patroni": { patroni: { version: "4.0.5" } },
  "/config": { synchronous_mode: true, failsafe_mode: true },
};

beforeEach(async () => {
  [clockOffMs, freeBytes] = [0, 1e12];
  patroni = (_, path) => GOOD[path];
  if (!hasPostgres) return;
  await cluster.copyAll();
  await sql(
    "INSERT INTO kanalog.leases SELECT 'upkeep', 'one', 1, now() ON CONFLICT (name) DO UPDATE SET beat_at = now()",
  );
});

async function sql(text: string, url = cluster.url): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

/** What the doctor says, by what it looked at. */
async function examine(url = cluster.url): Promise<Record<string, string>> {
  const ports = fakePorts();
  const commands = clusterCommands(
    readConfig({
      ...{ KANALOG_DB: "/tmp/no.db", KANALOG_NODE: "node1" },
      ...{ KANALOG_SECRET: CLUSTER_SECRET, KANALOG_CLUSTER: url },
    }),
    {
      ...ports,
      clock: { ...systemClock, now: () => systemClock.now() + clockOffMs },
      system: { ...ports.system, freeBytes: async () => freeBytes },
      network: {
        ...ports.network,
        async ask({ url: asked }) {
          const { hostname, pathname } = new URL(asked);
          const answer = patroni(hostname, pathname);
          if (answer === undefined || answer === null) return { fault: "ECONNREFUSED" };
          return { status: 200, header: () => null, body: JSON.stringify(answer) };
        },
      },
    },
  );
  const findings = await commands.doctor(8008);
  for (const { state, advice } of findings) expect(advice === "").toBe(state === "ok");
  return Object.fromEntries(findings.map(({ check, state }) => [check, state]));
}

/** Looks while a fault lasts, and after it. */
async function expectFound(
  check: string,
  make: () => unknown,
  mend: () => unknown,
  state = "wrong",
): Promise<void> {
  expect((await examine())[check]).toBe("ok");
  await make();
  expect((await examine())[check]).toBe(state);
  await mend();
}

describe.skipIf(!hasPostgres)("the doctor finds", () => {
  test("a server that does not answer, and a database without a cluster", async () => {
    const { port } = new URL(cluster.url);
    const url = cluster.url.replace(`127.0.0.1:${port}`, `127.0.0.1:${port},127.0.0.2:1`);
    expect(await examine(url)).toMatchObject({
      [`server 127.0.0.1:${port}`]: "ok",
      "server 127.0.0.2:1": "wrong",
    });
    expect(await examine(await newPostgresDatabase())).toMatchObject({ cluster: "wrong" });
    expect(await examine("postgres://kanalog@127.0.0.2:1/kanalog")).toMatchObject({
      primary: "wrong",
    });
  });

  test("a PostgreSQL that is too old", async () => {
    const url = await newPostgresDatabase();
    const { host, pathname } = new URL(url);
    expect((await examine(url))[`server ${host}`]).toBe("ok");
    // A server of another version is not to be had everywhere, so this one says that it is PostgreSQL 14.
    await sql(
      `CREATE FUNCTION public.current_setting(name text) RETURNS text LANGUAGE sql AS $$
         SELECT CASE name WHEN 'server_version' THEN '14.22' WHEN 'server_version_num' THEN '140022'
           ELSE pg_catalog.current_setting(name) END
       $$;
       ALTER DATABASE ${pathname.slice(1)} SET search_path = public, pg_catalog`,
      url,
    );
    expect(await examine(url)).toMatchObject({ [`server ${host}`]: "wrong", primary: "wrong" });
  });

  test("a connection pooler in between", async () => {
    const { port, pathname } = new URL(cluster.url);
    // As PgBouncer does, it tells the client a process id of its own.
    const server = createServer((client) => {
      const postgres = connect(Number(port), "127.0.0.1");
      client.pipe(postgres);
      for (const socket of [client, postgres]) socket.on("error", () => {});
      postgres.on("data", (bytes) => {
        const sent = Buffer.from(bytes);
        const at = sent.indexOf(Uint8Array.from([75, 0, 0, 0, 12]));
        if (at !== -1) sent.writeInt32BE(7, at + 5);
        client.write(sent);
      });
      postgres.on("close", () => client.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const own = (server.address() as { port: number }).port;
    const found = await examine(`postgres://postgres@127.0.0.1:${own}${pathname}`);
    expect(found[`path to 127.0.0.1:${own}`]).toBe("wrong");
    expect((await examine())[`path to 127.0.0.1:${port}`]).toBe("ok");
    server.close();
  });

  test("commits that are not flushed, and a primary without a standby", async () => {
    // The tests' PostgreSQL is such a one.
    expect(await examine()).toMatchObject({ commits: "wrong", standby: "wrong" });
    const flushed = await startPostgres({ isFlushed: true });
    const machine = createMachine();
    const environment = {
      ...{ KANALOG_CLUSTER: flushed.url, KANALOG_NODE: "a", KANALOG_SECRET: CLUSTER_SECRET },
    };
    await machine.run(["plan", "list"]);
    await machine.run(["cluster", "init", "--from", machine.database], { environment });
    expect(await examine(flushed.url)).toMatchObject({ commits: "ok", standby: "wrong" });
    const standby = await flushed.startWithStandby();
    await until(async () => (await examine(flushed.url))["standby"] === "ok", "the standby");
    // Who may not look gets no verdict.
    await sql(
      "CREATE ROLE stranger LOGIN; GRANT USAGE ON SCHEMA kanalog TO stranger; GRANT SELECT ON ALL TABLES IN SCHEMA kanalog TO stranger",
      flushed.url,
    );
    const asStranger = flushed.url.replace("postgres@", "stranger@");
    expect(await examine(asStranger)).toMatchObject({ commits: "ok", standby: "unknown" });
    await machine.leave();
    await flushed.stop();
    await standby.stop();
  });

  test("replication slots that nothing uses", () =>
    expectFound(
      "replication slots",
      () => sql("SELECT pg_create_physical_replication_slot('left_over')"),
      () => sql("SELECT pg_drop_replication_slot('left_over')"),
    ));

  test("too few connections left", async () => {
    const clients: pg.Client[] = [];
    await expectFound(
      "connections",
      async () => {
        for (let at = 0; at < 280; at++) {
          const client = new pg.Client({ connectionString: cluster.url });
          client.on("error", () => {});
          clients.push(client);
          await client.connect();
        }
      },
      () => Promise.all(clients.map((client) => client.end())),
    );
  });

  test("a clock that is off, and a disk that is nearly full", async () => {
    await expectFound(
      "clock",
      () => {
        clockOffMs = 8_000;
      },
      () => {
        clockOffMs = 0;
      },
    );
    await expectFound(
      "disk",
      () => {
        freeBytes = 0;
      },
      () => {},
    );
  });

  test("a schema that is newer than this program, and an upkeep that nobody does", async () => {
    const raise = (by: number) =>
      sql(`UPDATE kanalog.state SET schema_version = schema_version + ${by}`);
    await expectFound(
      "schema",
      () => raise(1),
      () => raise(-1),
    );
    await expectFound(
      "upkeep",
      () => sql("UPDATE kanalog.leases SET beat_at = now() - interval '1 minute'"),
      () => sql("DELETE FROM kanalog.leases"),
    );
  });

  test("a node that is silent, and one that lacks many commits", async () => {
    for (const change of ["seen_at = now() - interval '1 minute'", "version = version - 2000"]) {
      await expectFound(
        "node node2",
        () => sql(`UPDATE kanalog.nodes SET ${change} WHERE name = 'node2'`),
        () => cluster.copyAll(),
      );
    }
  });

  test("modes of Patroni that are off, an old one, and none", async () => {
    for (const mode of ["synchronous_mode", "failsafe_mode"]) {
      await expectFound(
        mode,
        () => {
          patroni = (_, path) =>
            path === "/config" ? { ...(GOOD[path] as object), [mode]: false } : GOOD[path];
        },
        () => {
          patroni = (_, path) => GOOD[path];
        },
      );
    }
    await expectFound(
      "patroni 127.0.0.1",
      () => {
        patroni = (_, path) =>
          path === "/patroni" ? { patroni: { version: "3.0.2" } } : GOOD[path];
      },
      () => {
        patroni = () => null;
      },
      "unknown",
    );
    expect((await examine())["patroni"]).toBe("unknown");
    patroni = (host, path) => (host === "127.0.0.1" ? GOOD[path] : null);
    const two = cluster.url.replace(/127.0.0.1:\d+/, "$&,127.0.0.2:1");
    expect((await examine(two))["patroni"]).toBe("wrong");
  });
});

test.skipIf(!hasPostgres)(
  "the command fails if anything is wrong, and prints what to do",
  async () => {
    const machine = createMachine();
    const environment = {
      ...{ KANALOG_CLUSTER: cluster.url, KANALOG_NODE: one.name, KANALOG_SECRET: CLUSTER_SECRET },
    };
    const { exitCode, out } = await machine.run(["cluster", "doctor"], { environment });
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^commits +wrong +fsync off, .* set all three to on/m);
    await machine.leave();
  },
);
