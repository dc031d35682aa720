import { storageUnavailable } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Database, Transaction } from "../database.ts";
import { inFileTransaction, type Wait } from "../file-transaction.ts";
import type { Turn } from "./authority.ts";
import type { RowImage } from "./changed-rows.ts";
import {
  type Cluster,
  clusterOf,
  copiedVersion,
  isOfHistory,
  type Place,
  requireCluster,
  requireCopy,
  setPlace,
} from "./link.ts";

/** Rows that are copied in one transaction, about: it holds the file's lock for some 20 ms. */
const COPIED_ROWS = 500;
/** Rows that are copied while all other nodes wait; a copy that lacks more gets them before its turn. */
const COPIED_IN_TURN = 2_000;

/**
 * Work on what a node fills by itself, by the names of its transactions: it waits for no other node, and
 * goes on while PostgreSQL is away.
 */
const OWN_WORK: ReadonlySet<string> = new Set([
  "copy-cluster",
  "copy-usage",
  "count-trigrams",
  "hour",
  "lease",
  "merge-posts",
  "merge-search",
  "metric-orders",
  "metrics",
  "migrate",
  "post-search",
  "prune-order",
  "prune-request-log",
  "request-log",
  "usage",
]);

/**
 * Runs work that changes shared rows: in its turn, on a copy that has all that was committed before. The
 * rows it changed are committed by PostgreSQL, then by the file. Where the process dies between the two,
 * the file gets them with the next changes of others.
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
 * Brings the file to the newest version, as work in a turn needs it: what it lacked would be taken for
 * copied once the work has its own version.
 * @returns false where the copy lacks too much to be brought up while others wait
 */
async function copyInTurn(
  cluster: Cluster,
  db: Database,
  clock: Clock,
  turn: Turn,
): Promise<boolean> {
  for (;;) {
    const copy = requireCopy(db);
    if (copy.version === turn.head.version) {
      requireHistory(copy, { head: turn.head.version, mark: turn.head.mark });
      return true;
    }
    const changes = await turn.changesAfter(copy.version, COPIED_IN_TURN);
    requireHistory(copy, changes);
    const { rows, until } = changes;
    if (until.version < turn.head.version) return false;
    // Again, since another process of this node may have copied some of them just before.
    await copyRows(cluster, db, clock, { rows, from: copy.version, until });
  }
}

/**
 * Brings the file to the newest shared rows, in parts. @returns their version
 * @throws AppError `unavailable` where PostgreSQL cannot be reached
 */
export async function copyFromCluster(db: Database, clock: Clock): Promise<number> {
  const cluster = requireCluster(db);
  for (;;) {
    const copy = requireCopy(db);
    const changes = await cluster.authority.changesAfter(copy.version, COPIED_ROWS);
    const { rows, until, head } = changes;
    requireHistory(copy, changes);
    const from = copy.version;
    if (until.version > from) await copyRows(cluster, db, clock, { rows, from, until });
    if (until.version >= head) return head;
  }
}

/**
 * The same where the file is a copy, and nothing where it is an appliance by itself.
 * @returns whether there were newer rows
 */
export async function copyIfNode(db: Database, clock: Clock): Promise<boolean> {
  if (clusterOf(db) === null) return false;
  const before = copiedVersion(db);
  return (await copyFromCluster(db, clock)) > before;
}

/**
 * Refuses a copy of another history: PostgreSQL was put back to a former state, and gives other commits the
 * versions that this copy has.
 * @param known what PostgreSQL has at the copy's version
 * @throws AppError `unavailable`, until the copy is made anew
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
