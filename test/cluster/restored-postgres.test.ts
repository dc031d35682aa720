import { afterEach, beforeEach, expect, test } from "bun:test";
import { derivedRows } from "../../src/catalog/derived-rows.ts";
import { copyFromCluster } from "../../src/cluster/cluster-transaction.ts";
import { linkToCluster } from "../../src/cluster/link-to-cluster.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { hasPostgres, newPostgresDatabase } from "../support/postgres.ts";

/** A PostgreSQL that was restored to an earlier state from its backup. */

let machine: Machine;
let url: string;
beforeEach(async () => {
  if (!hasPostgres) return;
  machine = createMachine();
  url = await newPostgresDatabase();
  await machine.run(["plan", "list"]);
  await ok("a", ["cluster", "init", "--from", machine.database]);
  await ok("b", ["cluster", "join"]);
});
afterEach(() => machine?.leave());

const path = (node: string) => (node === "a" ? machine.database : machine.path(`${node}.db`));

async function run(node: string, words: string[]) {
  const environment = {
    ...{ KANALOG_CLUSTER: url, KANALOG_NODE: node, KANALOG_DB: path(node) },
    KANALOG_SECRET: "the secret of both nodes of this cluster",
  };
  return machine.run(words, { environment });
}

async function ok(node: string, words: string[]): Promise<string> {
  const { exitCode, out, notes } = await run(node, words);
  expect(exitCode, notes).toBe(0);
  return out;
}

/** @returns the address of a database with the same content */
const copyOf = (address: string) => newPostgresDatabase(new URL(address).pathname.slice(1));

const create = (node: string, name: string) =>
  ok(node, ["org", "create", "--name", name, "--plan", "profi"]);

async function names(node: string): Promise<string[]> {
  const { results } = JSON.parse(await ok(node, ["org", "list", "--json"]));
  return results.map(({ name }: { name: string }) => name);
}

test.skipIf(!hasPostgres)(
  "copies with commits that PostgreSQL lost are refused even if others have passed their version; other copies continue",
  async () => {
    await create("a", "Kept");
    const backup = await copyOf(url);
    await create("a", "Lost");
    // A node that keeps running while its PostgreSQL is restored.
    const running = openDatabase(path("a"), systemClock);
    url = await copyOf(backup);
    await create("b", "Next");
    await create("b", "Next but one");

    for (const words of [["org", "list"], ["serve"]]) {
      const { exitCode, notes } = await run("a", words);
      expect(exitCode).not.toBe(0);
      expect(notes).toContain("kanalog cluster rebuild");
    }
    linkToCluster(running, { url, node: "a" }, "test", derivedRows);
    const change = inTransaction(running, systemClock, "rename", (tx) => {
      tx.prepare("UPDATE organizations SET name = 'Renamed' WHERE name = 'Lost'").run();
    });
    const refused = { cause: { message: expect.stringContaining("kanalog cluster rebuild") } };
    await expect(change).rejects.toMatchObject(refused);
    await expect(copyFromCluster(running, systemClock)).rejects.toMatchObject(refused);
    running.close();

    await ok("a", ["cluster", "rebuild"]);
    for (const node of ["a", "b"]) {
      expect(await names(node)).toEqual(["Kept", "Next", "Next but one"]);
    }
  },
);

test.skipIf(!hasPostgres)(
  "a copy at the version of the newest commit is refused as well",
  async () => {
    const backup = await copyOf(url);
    await create("a", "Lost");
    const running = openDatabase(path("a"), systemClock);
    url = await copyOf(backup);
    await create("b", "Next");
    linkToCluster(running, { url, node: "a" }, "test", derivedRows);
    const change = inTransaction(running, systemClock, "rename", (tx) => {
      tx.prepare("UPDATE organizations SET name = 'Renamed'").run();
    });
    await expect(change).rejects.toMatchObject({
      cause: { message: expect.stringContaining("kanalog cluster rebuild") },
    });
    running.close();
    const { exitCode, notes } = await run("a", ["org", "create", "--name", "N", "--plan", "profi"]);
    expect(exitCode).not.toBe(0);
    expect(notes).toContain("kanalog cluster rebuild");
  },
);
