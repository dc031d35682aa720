import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { connectToPrimary, refusalOf, refusedBy } from "../../src/cluster/connection.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";

let former: PostgresServer;
let promoted: PostgresServer;
beforeAll(async () => {
  if (!hasPostgres) return;
  [former, promoted] = [
    await startPostgres({ isFlushed: false }),
    await startPostgres({ isFlushed: false }),
  ];
  // The end of recovery starts another timeline, as a promotion does.
  await promoted.stop();
  appendFileSync(join(promoted.data, "postgresql.auto.conf"), "restore_command = 'false'\n");
  writeFileSync(join(promoted.data, "recovery.signal"), "");
  await promoted.start();
});
afterAll(async () => {
  await former?.stop();
  await promoted?.stop();
});

test.skipIf(!hasPostgres)(
  "of two servers that accept writes, the one promoted last is used, in either order",
  async () => {
    for (const ports of [
      [former.port, promoted.port],
      [promoted.port, former.port],
    ]) {
      const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
      const client = await connectToPrimary(`postgres://postgres@${hosts}/postgres`, "test");
      const { rows } = await client.query("SELECT current_setting('port')::int AS port");
      await client.end();
      expect(rows).toEqual([{ port: promoted.port }]);
    }
  },
);

test.skipIf(!hasPostgres)(
  "an unreachable or unknown host is skipped; if all are, the error names the host and what to do",
  async () => {
    const gone = "127.0.0.1:1";
    const missing = `postgres://postgres@127.0.0.1:${former.port}/missing`;
    const refused = await connectToPrimary(missing, "test").catch((thrown) => thrown);
    expect(String(refused.cause)).toContain(
      '"missing" does not exist (make it, or name another one)',
    );
    const hosts = [gone, `127.0.0.1:${former.port}`, "unknown.invalid"].join(",");
    const client = await connectToPrimary(`postgres://postgres@${hosts}/postgres`, "test");
    await client.end();
    const error = await connectToPrimary(`postgres://postgres@${gone}/postgres`, "test").catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ code: "unavailable" });
    expect(String(error.cause)).toContain(
      "127.0.0.1:1 (see that it runs there, and listens at this address)",
    );
    // The cause is for the log, which shows both.
    expect(error.cause.code).toBe("ECONNREFUSED");
  },
);

test("a machine that never answers counts as unreachable", async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as { port: number };
  const client = new pg.Client({ host: "127.0.0.1", port, connectionTimeoutMillis: 1 });
  const error = refusedBy(await client.connect().catch((thrown) => thrown));
  silent.close();
  expect(String(error.cause)).toContain("(see that this machine may reach it)");
});

test("a server that is too old, a standby or read-only is refused with the reason", () => {
  const good = { version: 150004, timeline: "00000001", isReadOnly: false };
  expect(refusalOf(good)).toBeNull();
  expect(refusalOf({ ...good, version: 140011 })).toBe(
    "it is version 14, and 15 or newer is needed",
  );
  expect(refusalOf({ ...good, timeline: null })).toContain("standby");
  expect(refusalOf({ ...good, isReadOnly: true })).toContain("takes no writes");
});
