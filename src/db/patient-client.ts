import type BetterSqlite3 from "better-sqlite3";
import { untilFree } from "./busy.ts";
import type { Database } from "./database.ts";

/**
 * The driver's handle for a library that writes by itself, one statement a time, and knows nothing
 * of a lock that another connection holds. It waits, and blocks the thread meanwhile: so the thread does
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
    all: (...values) => untilFree(() => statement.all(...values)),
    run: (...values) => untilFree(() => statement.run(...values)),
    iterate: (...values) => statement.iterate(...values),
  };
}
