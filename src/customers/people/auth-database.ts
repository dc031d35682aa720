import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Statement } from "../../db/statement.ts";
import { inTransaction, isWithin } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";

/**
 * A connection for a library that writes through Kysely. Its changes run in our own transactions: in the
 * one that its caller has begun on this connection, or in one of their own.
 */
export function kyselyDialect(db: Database, clock: Clock): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(db, clock),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

const NAME = "sign-in";

/** A transaction of the library, which spans several calls. */
interface Open {
  end(error: Error | null): void;
  /** Settles once it is committed or rolled back. */
  over: Promise<void>;
}

function createDriver(db: Database, clock: Clock): Driver {
  const open = new WeakMap<DatabaseConnection, Open>();

  function connect(): DatabaseConnection {
    const connection: DatabaseConnection = {
      async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
        const statement = db.prepare<Row>(sql);
        const run = () => resultOf(statement, parameters);
        return statement.readonly || open.has(connection) || isWithin(db)
          ? run()
          : inTransaction(db, clock, NAME, run);
      },
      // biome-ignore lint/correctness/useYield: Kysely requires a generator, and nothing streams rows
      async *streamQuery() {
        throw new Error("rows are not streamed");
      },
    };
    return connection;
  }

  async function end(connection: DatabaseConnection, error: Error | null): Promise<void> {
    const ended = open.get(connection);
    open.delete(connection);
    ended?.end(error);
    await ended?.over;
  }

  return {
    init: async () => {},
    acquireConnection: async () => connect(),
    async beginTransaction(connection) {
      const begun = Promise.withResolvers<void>();
      const work = Promise.withResolvers<void>();
      const over = inTransaction(db, clock, NAME, () => {
        begun.resolve();
        return work.promise;
      });
      over.catch(begun.reject);
      await begun.promise;
      open.set(connection, {
        end: (error) => (error === null ? work.resolve() : work.reject(error)),
        over,
      });
    },
    commitTransaction: (connection) => end(connection, null),
    rollbackTransaction: (connection) =>
      end(connection, new Error("the library rolled back")).catch(() => {}),
    releaseConnection: async () => {},
    destroy: async () => {},
  };
}

function resultOf<Row>(statement: Statement<Row>, values: readonly unknown[]): QueryResult<Row> {
  if (statement.reader) return { rows: statement.all(...values) };
  const { changes, lastInsertRowid } = statement.run(...values);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}
