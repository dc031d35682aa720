import { afterEach, beforeEach, expect, test } from "bun:test";
import pg from "pg";
import { SCHEMA_VERSION } from "../../src/db/schema-version.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";

/** A cluster whose shared rows are another program's; the campaign `cluster` starts a real newer program. */

let machine: Machine;
let url: string;
beforeEach(async () => {
  if (!hasPostgres) return;
  machine = createMachine();
  url = await newPostgresDatabase();
  await machine.run(["plan", "list"]);
  expect((await run(["cluster", "init", "--from", machine.database])).exitCode).toBe(0);
});
afterEach(() => machine?.leave());

const run = (words: string[], more: Record<string, string> = {}) =>
  machine.run(words, {
    environment: {
      ...{ KANALOG_CLUSTER: url, KANALOG_NODE: "a" },
      ...{ KANALOG_SECRET: "the secret of all nodes of this cluster", ...more },
    },
  });

async function setSchema(version: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`UPDATE kanalog.state SET schema_version = ${version}`);
  await client.end();
}

test.skipIf(!hasPostgres)(
  "a cluster of a program before the first release is neither joined nor started, and the error says what to do",
  async () => {
    await setSchema(31);
    const joins = { KANALOG_NODE: "b", KANALOG_DB: machine.path("b.db") };
    for (const refused of [
      await run(["org", "list"]),
      await run(["cluster", "join"], joins),
      await run(["cluster", "leave", "--to", machine.path("left.db")]),
    ]) {
      expect(refused.exitCode).toBe(1);
      expect(refused.notes).toContain("schema version 31:");
      expect(refused.notes).toContain("kanalog export channels channels.ndjson");
    }
    expect(machine.exists("b.db")).toBe(false);
    expect(machine.exists("left.db")).toBe(false);
    await setSchema(SCHEMA_VERSION);
    expect((await run(["cluster", "join"], joins)).exitCode).toBe(0);
  },
);
