import { type Database, statement } from "../../../../src/db/database.ts";

/** Runs a statement again with the same values. @returns its rows */
export type Query = () => unknown;

const READING = ["all", "get"] as const;

/** The queries that some work runs on a connection, in order. */
export function recordQueries(db: Database, work: (recording: Database) => void): Query[] {
  const queries: Query[] = [];
  const recorded = (sql: string): unknown =>
    new Proxy(statement(db, sql), {
      get(statement, name, proxy) {
        if (!READING.some((reading) => reading === name)) {
          const value = Reflect.get(statement, name);
          // `raw` returns the statement itself.
          return (...values: unknown[]) => {
            const result = value.apply(statement, values);
            return result === statement ? proxy : result;
          };
        }
        const read = statement[name as (typeof READING)[number]].bind(statement);
        return (...values: unknown[]) => {
          queries.push(() => read(...values));
          return read(...values);
        };
      },
    });
  work({ statements: { get: recorded } } as unknown as Database);
  return queries;
}
