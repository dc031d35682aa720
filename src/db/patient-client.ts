import { untilFree } from "./busy.ts";
import type { Database } from "./database.ts";
import type { Statement } from "./statement.ts";

/**
 * The connection as the driver's handle looks, for a library that writes by itself, one statement a
 * time, and knows nothing of a lock that another connection holds. It waits, and blocks the thread
 * meanwhile: so the thread does nothing else.
 */
export function patientClient(db: Database) {
  return {
    prepare: (sql: string) => patientStatement(db.prepare(sql)),
    close: () => db.close(),
    /** The member by which the library recognizes the driver. */
    aggregate: null,
  };
}

function patientStatement(statement: Statement) {
  return {
    reader: statement.reader,
    all: (...values: unknown[]) => untilFree(() => statement.all(...values)),
    run: (...values: unknown[]) => untilFree(() => statement.run(...values)),
    iterate: (...values: unknown[]) => statement.iterate(...values),
  };
}
