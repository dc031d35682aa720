import pg from "pg";
import { type AppError, storageUnavailable } from "../errors.ts";
import { inTime } from "../ports/clock.ts";

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

/**
 * Advice for the operator by error code of PostgreSQL or the system, or by the driver's message if it has
 * no code.
 */
const ADVICE: readonly [codes: RegExp, advice: string][] = [
  [/^ECONNREFUSED$/, "see that it runs there, and listens at this address"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "see that the host's name is right"],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|timeout expired)$/, "see that this machine may reach it"],
  [/^28/, "see that user and password are right, and that pg_hba.conf lets them in"],
  [/^3D000$/, "make it, or name another one"],
  [/^42501$/, "give the user the right: GRANT CREATE ON DATABASE, or that on schema kanalog"],
  [
    /^(42P01|42883|3F000)$/,
    "a part of the cluster is missing there: where it stays so, restore it from its backup",
  ],
  [/^KN001$/, "synchronize both with a time server"],
  [/^53100$/, "free some room on its disk"],
  [/^53300$/, "raise its max_connections: a node takes up to a dozen"],
];

/**
 * An `unavailable` error with PostgreSQL's own message as its cause, and advice for the operator if there
 * is any.
 */
export function refusedBy(error: unknown): AppError {
  const { message, code, stack } = error as Error & { code?: unknown };
  const [, advice] = ADVICE.find(([codes]) => codes.test(String(code ?? message))) ?? [];
  if (advice === undefined) return storageUnavailable(error);
  // A single error without a nested cause, whose message would be logged twice.
  return storageUnavailable(Object.assign(new Error(`${message} (${advice})`), { code, stack }));
}

/** Limit for connecting, after which the host counts as gone. */
const CONNECT_MS = 5_000;
/** Limit for a statement, after which the database counts as gone. */
const STATEMENT_MS = 15_000;
/** PostgreSQL ends a transaction whose node has been silent for this long, and releases its locks. */
const SILENT_MS = 5_000;

/**
 * Connects to the primary: among the hosts that accept writes, the one with the newest timeline. Each
 * promotion starts a new timeline, and a former primary that has not been told still accepts writes that no
 * standby confirms.
 * @throws AppError `unavailable` if no host accepts writes
 */
export async function connectToPrimary(
  url: string,
  name: string,
  statementMs = STATEMENT_MS,
): Promise<pg.Client> {
  const attempts = hostsOf(url).map((host) => connectToHost(host, name, statementMs));
  const tried = await Promise.allSettled(attempts);
  const [newest, ...others] = tried
    .flatMap((one) => (one.status === "fulfilled" ? one.value : []))
    .sort((a, b) => (a.timeline < b.timeline ? 1 : -1));
  for (const { client } of others) void client.end().catch(() => {});
  if (newest !== undefined) return newest.client;
  const failed = tried.findLast((one) => one.status === "rejected");
  throw refusedBy(failed?.reason);
}

/** Connects to one host. @returns the connection, and the server's timeline as eight hexadecimal digits */
async function connectToHost(
  connectionString: string,
  name: string,
  statementMs: number,
): Promise<{ client: pg.Client; timeline: string }> {
  const client = new pg.Client({
    connectionString,
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs,
    query_timeout: statementMs + 1_000,
    lock_timeout: statementMs - 1_000,
    idle_in_transaction_session_timeout: SILENT_MS,
    keepAlive: true,
  });
  // Also emitted when the connection is lost during a query; the query itself rejects.
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<ServerFacts>(SERVER_FACTS);
    const [facts] = rows as [ServerFacts];
    const refusal = refusalOf(facts);
    if (refusal !== null) throw new Error(refusal);
    return { client, timeline: facts.timeline ?? "" };
  } catch (error) {
    void client.end().catch(() => {});
    throw error;
  }
}

interface ServerFacts {
  /** Its version number, such as 150004. */
  version: number;
  /** Null on a standby. */
  timeline: string | null;
  isReadOnly: boolean;
}

const SERVER_FACTS = `
  SELECT current_setting('server_version_num')::integer AS version,
    CASE WHEN NOT pg_is_in_recovery()
      THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline,
    current_setting('default_transaction_read_only')::boolean AS "isReadOnly"`;

export const OLDEST_VERSION = 15;

/** @returns why a server cannot be used; null if it can */
export function refusalOf(facts: ServerFacts): string | null {
  const version = Math.floor(facts.version / 10_000);
  if (version < OLDEST_VERSION) {
    return `it is version ${version}, and ${OLDEST_VERSION} or newer is needed`;
  }
  if (facts.timeline === null) return "the server is a standby, which takes no writes";
  if (facts.isReadOnly) return "it takes no writes (default_transaction_read_only is on)";
  return null;
}

/** One URL for each host of `postgres://user:password@one:5432,two:5432/name`. */
export function hostsOf(url: string): string[] {
  const match = /^([a-z]+:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/.exec(url);
  if (match === null) return [url];
  const [, before = "", hosts = "", after = ""] = match;
  return hosts.split(",").map((host) => `${before}${host}${after}`);
}
