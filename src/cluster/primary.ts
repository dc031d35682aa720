import pg from "pg";
import { type AppError, storageUnavailable } from "../errors.ts";

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
export const STATEMENT_MS = 15_000;
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

const OLDEST_VERSION = 15;

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
