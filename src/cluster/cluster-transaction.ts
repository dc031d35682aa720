import type { Database, Transaction } from "../db/database.ts";
import { lastHoldMs } from "../db/lock.ts";
import type { Place } from "../db/shared-rows.ts";
import { inFileTransaction, refuseNested, type Wait } from "../db/transaction.ts";
import { storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Authority, Cluster, Turn } from "./link.ts";
import { copiedVersion, isOfHistory, requireCluster, requireCopy, setPlace } from "./link.ts";
import type { RowImage } from "./shared-tables.ts";

/**
 * Number of rows requested first. An answer contains whole versions, so it has at least the rows that one
 * transaction of another node changed.
 */
export const ROWS_AT_FIRST = 100;
const ROWS_MAX = 500;
/** How long a copying transaction should hold the file's lock. */
const HOLD_MS = 10;

/**
 * Number of rows to request next, from how long the last transaction took: rows of a large file or on a
 * slow disk cost more.
 */
function rowsToCopyNext(copied: number, heldMs: number): number {
  const fitting = Math.floor((Math.max(1, copied) * HOLD_MS) / heldMs);
  return Math.max(1, Math.min(ROWS_MAX, fitting));
}

/**
 * Maximum rows copied while all other nodes wait; a copy that lacks more gets the rest before its next
 * turn.
 */
const COPIED_IN_TURN = 2_000;

/**
 * Transactions, by name, that change only what a node derives by itself. They wait for no other node, and
 * continue while PostgreSQL is unreachable.
 */
const OWN_WORK: ReadonlySet<string> = new Set([
  "copy-cluster",
  "copy-usage",
  "count-trigrams",
  "hour",
  "lease",
  "merge-posts",
  "merge-search",
  "metrics",
  "migrate",
  "post-search",
  "prune-request-log",
  "request-log",
  "usage",
]);

/**
 * Runs work that changes shared rows, in its turn and on a copy that is up to date. The changed rows are
 * committed to PostgreSQL first and then to the file. If the process dies in between, the file gets them
 * together with the next changes of others.
 */
export async function inClusterTransaction<T>(
  cluster: Cluster,
  db: Database,
  clock: Clock,
  name: string,
  work: (tx: Transaction) => T | Promise<T>,
  wait: Wait,
): Promise<T> {
  if (OWN_WORK.has(name)) {
    return inFileTransaction(db, clock, name, work, {
      wait,
      beforeCommit: async (tx) => {
        if (!cluster.changed.isEmpty(tx)) throw new Error(`${name} changed rows of all nodes`);
      },
    });
  }
  // Before its turn, which it would never get: the outer transaction has it.
  refuseNested(db, name);
  for (;;) {
    const done = await cluster.authority.inTurn(async (turn) => {
      if (!(await copyInTurn(cluster, db, clock, turn))) return null;
      const result = await inFileTransaction(db, clock, name, work, {
        wait,
        beforeCommit: async (tx) => {
          const rows = cluster.changed.take(tx);
          if (rows.length > 0) setPlace(tx, await turn.commit(rows));
        },
      });
      return { result };
    });
    if (done !== null) return done.result;
    await copyFromCluster(db, clock);
  }
}

/**
 * Brings the file to the newest version before work in a turn: its commit sets the copy's version, and rows
 * still missing then would never be copied.
 * @returns false if the copy lacks too much to catch up while others wait
 */
async function copyInTurn(
  cluster: Cluster,
  db: Database,
  clock: Clock,
  turn: Turn,
): Promise<boolean> {
  const copy = requireCopy(db);
  if (copy.version !== turn.head.version) {
    return copyParts(cluster, db, clock, turn.changesAfter, COPIED_IN_TURN);
  }
  requireHistory(copy, { head: turn.head.version, mark: turn.head.mark });
  return true;
}

/**
 * Copies the newest shared rows into the file, in parts. @returns the file's version afterwards
 * @throws AppError `unavailable` if PostgreSQL cannot be reached
 */
export async function copyFromCluster(db: Database, clock: Clock): Promise<number> {
  const cluster = requireCluster(db);
  const { changesAfter } = cluster.authority;
  await copyParts(cluster, db, clock, changesAfter, Number.POSITIVE_INFINITY);
  return copiedVersion(db);
}

/** Copies rows in parts. @returns false if rows remain after `rowsTotalMax` of them */
async function copyParts(
  cluster: Cluster,
  db: Database,
  clock: Clock,
  changesAfter: Authority["changesAfter"],
  rowsTotalMax: number,
): Promise<boolean> {
  let copied = 0;
  let rowsMax = ROWS_AT_FIRST;
  for (;;) {
    const copy = requireCopy(db);
    const changes = await changesAfter(copy.version, rowsMax);
    requireHistory(copy, changes);
    const { rows, until, head } = changes;
    if (until.version > copy.version) {
      await copyRows(cluster, db, clock, { rows, from: copy.version, until });
      rowsMax = rowsToCopyNext(rows.length, lastHoldMs(db));
      copied += rows.length;
    }
    // Read from the file, because another process of this node may have copied rows meanwhile.
    if (copiedVersion(db) >= head) return true;
    if (copied >= rowsTotalMax) return false;
  }
}

/** As `copyFromCluster`. @returns whether there were newer rows */
export async function copyNewer(db: Database, clock: Clock): Promise<boolean> {
  const before = copiedVersion(db);
  return (await copyFromCluster(db, clock)) > before;
}

/**
 * Refuses a copy of another history: PostgreSQL was restored to an earlier state and now gives this copy's
 * versions to different commits.
 * @param known PostgreSQL's commit at the copy's version
 * @throws AppError `unavailable`, until the copy is rebuilt
 */
function requireHistory(copy: Place, known: { head: number; mark: string | null }): void {
  if (isOfHistory(copy, known)) return;
  const reason = `the copy's commit ${copy.version} is not one of PostgreSQL's history (newest ${known.head}): run \`kanalog cluster rebuild\``;
  throw storageUnavailable(new Error(reason));
}

async function copyRows(
  cluster: Cluster,
  db: Database,
  clock: Clock,
  { rows, from, until }: { rows: readonly RowImage[]; from: number; until: Place },
): Promise<void> {
  const copy = (tx: Transaction): void => {
    // Another process of this node was faster.
    if (copiedVersion(tx) !== from) return;
    cluster.apply(tx, rows);
    cluster.changed.forget(tx);
    setPlace(tx, until);
  };
  await inFileTransaction(db, clock, "copy-cluster", copy, { checksReferences: false });
}
