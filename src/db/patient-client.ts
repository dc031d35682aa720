import type BetterSqlite3 from "better-sqlite3";
import type { Database } from "./database.ts";
import { isBusy } from "./transaction.ts";

const PAUSE_MS = 1;
const TRIES_MAX = 10_000;

/**
 * The driver's handle for a library that writes by itself, one statement a time, and knows nothing
 * of a lock that another connection holds. It waits as `inTransaction` does, looking often enough to
 * get in between two transactions of an import, but blocks the thread meanwhile: so the thread does
 * nothing else.
 */
export function patientClient({ $client }: Database): BetterSqlite3.Database {
  return new Proxy($client, {
    get(client, name) {
      if (name === "prepare") return (sql: string) => patientStatement(client.prepare(sql));
      const value = Reflect.get(client, name);
      return typeof value === "function" ? value.bind(client) : value;
    },
  });
}

function patientStatement(
  statement: BetterSqlite3.Statement,
): Pick<BetterSqlite3.Statement, "reader" | "all" | "run" | "iterate"> {
  return {
    reader: statement.reader,
    all: (...values) => waiting(() => statement.all(...values)),
    run: (...values) => waiting(() => statement.run(...values)),
    iterate: (...values) => statement.iterate(...values),
  };
}

function waiting<T>(work: () => T): T {
  const nobody = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (let tries = 1; ; tries += 1) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || tries === TRIES_MAX) throw error;
      Atomics.wait(nobody, 0, 0, PAUSE_MS);
    }
  }
}
