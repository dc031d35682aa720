import pg from "pg";
import { storageUnavailable } from "../../errors.ts";
import { inTime } from "../../ports/in-time.ts";
import { connectToPrimary, STATEMENT_MS } from "./primary.ts";
import { refusedBy } from "./refusal.ts";

/** Whoever uses a connection at present. */
export interface Session {
  /** @throws AppError `unavailable` where PostgreSQL is gone, or refuses for a reason of its own */
  query<Row extends pg.QueryResultRow>(asked: string | pg.QueryConfig): Promise<Row[]>;
}

/** One connection to PostgreSQL, made when it is first used, and made anew after it was lost. */
export interface Connection {
  /**
   * Runs work that has the connection for itself.
   * @throws AppError `unavailable` where it takes longer than a use may
   */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * @param url `postgres://…`; with several hosts, separated by commas, the one that takes writes is used
 * @param name by which PostgreSQL shows it
 * @param useMs how long a use may take, with its wait for the connection. What has not begun by then is not
 *   begun. Null: each of its statements may take the usual time
 */
export function openConnection(url: string, name: string, useMs: number | null = null): Connection {
  let client: pg.Client | null = null;
  let underWay: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let lastAsked = 0;
  /** Why no connection could be made, for all uses that were asked for until then. */
  let failed: { until: number; error: unknown } = { until: 0, error: null };

  async function connected(): Promise<pg.Client> {
    if (isClosed) throw storageUnavailable(new Error("the connection was closed"));
    if (client !== null) return client;
    const made = await connectToPrimary(url, name, useMs ?? STATEMENT_MS);
    // Told of a connection that is lost while nobody uses it: the next use makes another.
    made.on("error", () => drop(made));
    client = made;
    return made;
  }

  function drop(lost: pg.Client): void {
    if (client === lost) client = null;
    void lost.end().catch(() => {});
  }

  function sessionOf(used: pg.Client): Session {
    return {
      async query<Row extends pg.QueryResultRow>(asked: string | pg.QueryConfig): Promise<Row[]> {
        try {
          const answered = await used.query<Row>(asked);
          // A text of several statements has a result for each; the last one that has rows counts.
          return [answered].flat().findLast(({ rows }) => rows.length > 0)?.rows ?? [];
        } catch (error) {
          if (isLost(error)) drop(used);
          throw isOwnFault(error) ? error : refusedBy(error);
        }
      },
    };
  }

  async function run<T>(
    asked: number,
    work: (session: Session) => Promise<T>,
    late: { is: boolean; drop: () => void },
  ): Promise<T> {
    // Who waited while nobody could connect is told the same, in place of another try for each.
    if (asked <= failed.until) throw failed.error;
    const used = await connected().catch((error) => {
      failed = { until: lastAsked, error };
      throw error;
    });
    if (late.is) throw storageUnavailable(new Error("the use came too late"));
    late.drop = () => drop(used);
    try {
      return await work(sessionOf(used));
    } finally {
      // Its end was not heard: nobody knows what it still holds.
      if (client === used && used.getTransactionStatus() !== "I") drop(used);
    }
  }

  return {
    use(work) {
      lastAsked += 1;
      const asked = lastAsked;
      const late = { is: false, drop: () => {} };
      const done = underWay.then(() => run(asked, work, late));
      underWay = done.catch(() => {});
      if (useMs === null) return done;
      return inTime(done, useMs, () => {
        late.is = true;
        late.drop();
        return storageUnavailable(new Error(`PostgreSQL did not answer within ${useMs} ms`));
      });
    },

    async close() {
      isClosed = true;
      await underWay;
      await client?.end().catch(() => {});
      client = null;
    },
  };
}

/**
 * Class 57 is an operator's intervention, such as a server that stops; class 08 a lost connection; 25006 a
 * server that takes no writes any more; 55P03 a lock that was not got in time, as on a former primary, where
 * commits that nobody confirms hold theirs for ever.
 */
function isLost(error: unknown): boolean {
  return (
    !(error instanceof pg.DatabaseError) || /^(57|08|25P03|25006|55P03)/.test(error.code ?? "")
  );
}

/** Faults of an operator, who took rights away, the schema, its tables or functions. */
const OF_OPERATOR = /^(42501|42P01|42883|3F000)$/;

/** A fault of this program: values, rules or statements that PostgreSQL refuses for good. */
function isOwnFault(error: unknown): boolean {
  const code = error instanceof pg.DatabaseError ? (error.code ?? "") : "";
  return /^(22|23|42)/.test(code) && !OF_OPERATOR.test(code);
}
