import pg from "pg";
import { storageUnavailable } from "../errors.ts";
import { inTime } from "../ports/clock.ts";
import { connectToPrimary, refusedBy, STATEMENT_MS } from "./primary.ts";

/** The exclusive use of a connection. */
export interface Session {
  /**
   * Runs a statement, or several in one text. @returns the rows of the last one that has any
   * @throws AppError `unavailable` if PostgreSQL is gone, or refuses for a reason of its own
   */
  query<Row extends pg.QueryResultRow>(statement: string | pg.QueryConfig): Promise<Row[]>;
}

/** One connection to PostgreSQL, opened on first use and reopened after it is lost. */
export interface Connection {
  /**
   * Runs work with exclusive use of the connection.
   * @throws AppError `unavailable` if PostgreSQL cannot be reached, or the use takes longer than `useMs`
   */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * @param url `postgres://…`; with several hosts, separated by commas, the one that accepts writes is used
 * @param name shown by PostgreSQL for this connection
 * @param useMs maximum time of a use, including its wait for the connection; a use that has not begun by
 * then never begins. Null: only its statements are limited, each to `STATEMENT_MS`
 */
export function openConnection(url: string, name: string, useMs: number | null = null): Connection {
  const client = createClient(url, name, useMs ?? STATEMENT_MS);
  let underWay: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let lastUse = 0;
  /** Why connecting failed, for all uses up to the number `until`: those that waited for the attempt. */
  let failed: { until: number; error: unknown } = { until: 0, error: null };

  /** @param tooLate aborted once nobody waits for the use any more */
  async function run<T>(
    use: number,
    work: (session: Session) => Promise<T>,
    tooLate: AbortSignal,
  ): Promise<T> {
    // Everybody who waited during the failed attempt gets its error, instead of one more attempt each.
    if (use <= failed.until) throw failed.error;
    if (isClosed) throw storageUnavailable(new Error("the connection was closed"));
    const used = await client.connected().catch((error) => {
      failed = { until: lastUse, error };
      throw error;
    });
    if (tooLate.aborted) throw storageUnavailable(new Error("the deadline has passed"));
    tooLate.addEventListener("abort", () => client.drop(used));
    try {
      return await work(sessionOf(used, client.drop));
    } finally {
      // The end of the transaction was never confirmed, so the connection may still hold locks.
      if (used.getTransactionStatus() !== "I") client.drop(used);
    }
  }

  return {
    use(work) {
      lastUse += 1;
      const use = lastUse;
      const tooLate = new AbortController();
      const done = underWay.then(() => run(use, work, tooLate.signal));
      underWay = done.catch(() => {});
      if (useMs === null) return done;
      return inTime(done, useMs, () => {
        tooLate.abort();
        return storageUnavailable(new Error(`PostgreSQL did not answer within ${useMs} ms`));
      });
    },

    async close() {
      isClosed = true;
      await underWay;
      await client.end();
    },
  };
}

/** The driver's client, connected when it is next needed. */
function createClient(url: string, name: string, statementMs: number) {
  let client: pg.Client | null = null;

  /** Closes a lost client without waiting; the next use connects another. */
  function drop(lost: pg.Client): void {
    if (client !== lost) return;
    client = null;
    void lost.end().catch(() => {});
  }

  return {
    drop,

    /** @throws AppError `unavailable` */
    async connected(): Promise<pg.Client> {
      if (client !== null) return client;
      const made = await connectToPrimary(url, name, statementMs);
      // Called if the connection is lost while idle.
      made.on("error", () => drop(made));
      client = made;
      return made;
    },

    async end(): Promise<void> {
      await client?.end().catch(() => {});
      client = null;
    },
  };
}

/** @param onLost called with a client whose connection is lost */
function sessionOf(used: pg.Client, onLost: (lost: pg.Client) => void): Session {
  return {
    async query<Row extends pg.QueryResultRow>(text: string | pg.QueryConfig): Promise<Row[]> {
      try {
        const answered = await used.query<Row>(text);
        // A text of several statements has one result each; take the last one that returned rows.
        return [answered].flat().findLast(({ rows }) => rows.length > 0)?.rows ?? [];
      } catch (error) {
        if (isLost(error)) onLost(used);
        throw isOwnFault(error) ? error : refusedBy(error);
      }
    },
  };
}

/**
 * Whether the server, or the connection to it, is lost. Class 57 is an operator's intervention, such as a
 * shutdown; class 08 a lost connection; 25P03 a transaction that was idle for too long; 25006 a server that
 * has become read-only; 55P03 a lock timeout, as on a former primary, where commits that no standby
 * confirms hold their locks for ever.
 */
function isLost(error: unknown): boolean {
  return (
    !(error instanceof pg.DatabaseError) || /^(57|08|25P03|25006|55P03)/.test(error.code ?? "")
  );
}

/** Codes of an operator's mistakes: revoked privileges, or a missing schema, table or function. */
const OF_OPERATOR = /^(42501|42P01|42883|3F000)$/;

/**
 * Whether the fault is this program's: a value, constraint or statement that PostgreSQL will always refuse.
 */
function isOwnFault(error: unknown): boolean {
  const code = error instanceof pg.DatabaseError ? (error.code ?? "") : "";
  return /^(22|23|42)/.test(code) && !OF_OPERATOR.test(code);
}
