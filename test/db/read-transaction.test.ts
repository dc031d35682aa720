import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Database, statement } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open-database.ts";
import { createTickSnapshots } from "../../src/db/read-transaction.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { createMachine, type Machine } from "../support/machine.ts";

describe("works of one turn", () => {
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

  test("see what was committed before they were given, even right before", async () => {
    expect(await inTickSnapshot(read)).toBe(1);
    write(2);
    expect(await inTickSnapshot(read)).toBe(2);
  });

  test("see what was committed between them and their beginning", async () => {
    const works = [inTickSnapshot(read)];
    write(2);
    works.push(inTickSnapshot(read));
    write(3);
    expect(await Promise.all(works)).toEqual([3, 3]);
  });

  test("see one state of the database before they wait, and the present one after", async () => {
    const works = [2, 3].map((n) =>
      inTickSnapshot(async () => {
        const before = now();
        write(n);
        return [before, await read()];
      }),
    );
    // What the first one wrote, the second did not see: it had begun at the same instant.
    expect((await Promise.all(works)).map(([before]) => before)).toEqual([1, 1]);
    expect(await read()).toBe(3);
  });

  test("leave no transaction behind", async () => {
    await Promise.all([inTickSnapshot(read), inTickSnapshot(read)]);
    expect(reader.isInTransaction).toBe(false);
  });

  test("begin, and tell that they cannot read, when the connection is closed", async () => {
    const works = [inTickSnapshot(read), inTickSnapshot(read)];
    reader.close();
    const ends = await Promise.allSettled(works);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  test("begin where the connection is in a transaction already", async () => {
    reader.exec("BEGIN");
    expect(await Promise.all([inTickSnapshot(read), inTickSnapshot(read)])).toEqual([1, 1]);
  });
});
