import { expect, test } from "bun:test";
import { inTransaction } from "../../src/db/transaction.ts";
import { hasPostgres } from "../support/postgres.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";

newClusterEachTest();

const setRate = (rate: number) =>
  inTransaction(one.db, cluster.ports.clock, "rate", (tx) =>
    tx.prepare("UPDATE plans SET requests_per_second = ?").run(rate),
  );

test.skipIf(!hasPostgres)(
  "a transaction of all nodes that is started within another one is refused at once, and the outer one is rolled back",
  async () => {
    const nested = inTransaction(one.db, cluster.ports.clock, "outer", async (tx) => {
      tx.prepare("UPDATE plans SET requests_per_second = 5").run();
      await setRate(6);
    });
    await expect(nested).rejects.toThrow("rate was begun within a transaction");
    // The next one gets its turn, and does not send what was rolled back.
    await inTransaction(one.db, cluster.ports.clock, "rate", (tx) =>
      tx.prepare("UPDATE plans SET requests_per_second = 7 WHERE code = 'start'").run(),
    );
    await other.copy();
    const rates = other.db.prepare("SELECT requests_per_second FROM plans").raw().all().flat();
    expect(rates).toContain(7);
    expect(rates).not.toContain(5);
  },
);
