import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Database, statement } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { createTickSnapshots } from "../../src/db/read-transaction.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { createMachine, type Machine } from "../support/machine.ts";

describe("work in the snapshot of one tick", () => {
  let machine: Machine;
  let writer: Database;
  let reader: Database;
  let inTickSnapshot: <T>(work: () => T) => Promise<T>;

  beforeEach(() => {
    machine = createMachine();
    writer = openDatabase(machine.database, systemClock, "writer");
    writer.exec("CREATE TABLE t (n INTEGER) STRICT; INSERT INTO t VALUES (1)");
    reader = openDatabase(machine.database, systemClock, "reader");
    const tickSnapshot = createTickSnapshots(reader, systemClock);
    inTickSnapshot = async (work) => {
      await tickSnapshot();
      return work();
    };
  });
  afterEach(() => {
    writer.close();
    reader.close();
    return machine.leave();
  });

  const now = (): number | undefined =>
    statement<{ n: number }>(reader, "SELECT n FROM t").get()?.n;
  const read = async (): Promise<number | undefined> => now();
  const write = (n: number): void => void statement(writer, "UPDATE t SET n = ?").run(n);

  test("sees what was committed before its request, even right before", async () => {
    expect(await inTickSnapshot(read)).toBe(1);
    write(2);
    expect(await inTickSnapshot(read)).toBe(2);
  });

  test("sees what was committed between its request and its start", async () => {
    const works = [inTickSnapshot(read)];
    write(2);
    works.push(inTickSnapshot(read));
    write(3);
    expect(await Promise.all(works)).toEqual([3, 3]);
  });

  test("sees one state of the database before it waits, and the current one afterwards", async () => {
    const works = [2, 3].map((n) =>
      inTickSnapshot(async () => {
        const before = now();
        write(n);
        return [before, await read()];
      }),
    );
    // The second did not see what the first one wrote, because both share a snapshot.
    expect((await Promise.all(works)).map(([before]) => before)).toEqual([1, 1]);
    expect(await read()).toBe(3);
  });

  test("leaves no transaction open", async () => {
    await Promise.all([inTickSnapshot(read), inTickSnapshot(read)]);
    expect(reader.isInTransaction).toBe(false);
  });

  test("is rejected if the connection is closed", async () => {
    const works = [inTickSnapshot(read), inTickSnapshot(read)];
    reader.close();
    const ends = await Promise.allSettled(works);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  test("runs even if the connection is already in a transaction", async () => {
    reader.exec("BEGIN");
    expect(await Promise.all([inTickSnapshot(read), inTickSnapshot(read)])).toEqual([1, 1]);
  });
});
