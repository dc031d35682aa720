import { describe, expect, test } from "bun:test";
import pg from "pg";
import { channel, imported } from "../support/expectations.ts";
import { hasPostgres } from "../support/postgres.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";

/** Rows as nodes of a newer or an older program write them. */

newClusterEachTest();

/** Commits a change of `kanalog.rows`, as a node of another program does. */
async function commit(change: string): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await client.query(`
    BEGIN;
    UPDATE kanalog.state SET version = version + 1;
    ${change};
    INSERT INTO kanalog.commits SELECT version FROM kanalog.state;
    COMMIT`);
  await client.end();
}

const VERSION = "(SELECT version FROM kanalog.state)";

describe.skipIf(!hasPostgres)("a node copies and continues to write after a commit with", () => {
  test("rows of a table and a column that it does not know", async () => {
    await imported(one, "channels", [channel(1)]);
    await commit(`
      INSERT INTO kanalog.rows VALUES ('newer_table', '[1]', ${VERSION}, '{"id":1}');
      UPDATE kanalog.rows SET version = ${VERSION}, row = (row::jsonb || '{"newer": 1}')::text
      WHERE "table" = 'channels'`);
    await other.copy();
    expect((await other.get("/v1/msgr/channels/1/")).status).toBe(200);
    await imported(other, "channels", [channel(2)]);
  });

  test("rows that lack a column, which gets its default", async () => {
    const moved = () => other.db.prepare("SELECT id FROM territories WHERE is_moved = 0").all();
    const before = moved();
    expect(before).not.toEqual([]);
    await commit(`
      UPDATE kanalog.rows SET version = ${VERSION}, row = (row::jsonb - 'is_moved')::text
      WHERE "table" = 'territories'`);
    await other.copy();
    expect(moved()).toEqual(before);
    await imported(other, "channels", [channel(1)]);
  });
});

test.skipIf(!hasPostgres)(
  "once a newer program has raised the schema, a running node answers and copies but changes nothing",
  async () => {
    const raise = (by: number) =>
      commit(`UPDATE kanalog.state SET schema_version = schema_version + ${by}`);
    await imported(one, "channels", [channel(1)]);
    await other.copy();
    expect((await other.get("/v1/msgr/channels/2/")).status).toBe(404);
    await raise(1);
    await other.copy();
    expect((await other.get("/v1/msgr/channels/1/")).status).toBe(200);
    await expect(other.importRows("channels", [channel(2)])).rejects.toMatchObject({
      code: "unavailable",
      cause: { message: expect.stringMatching(/^the cluster has schema \d+, and this node's/) },
    });
    await raise(-1);
    expect((await other.get("/v1/msgr/channels/2/")).status).toBe(404);
  },
);
