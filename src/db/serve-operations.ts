import { storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Derived } from "./cluster/apply-rows.ts";
import { linkToCluster } from "./cluster/link.ts";
import type { Database } from "./database.ts";
import { withDeadline } from "./deadline.ts";
import { onLockHeld } from "./lock-holds.ts";
import { type Access, openDatabase } from "./open-database.ts";
import type { Pool } from "./operations.ts";
import { inReadTransaction } from "./read-transaction.ts";
import { type FromThread, type Opening, type ToThread, toFault } from "./thread-messages.ts";

/**
 * Runs in each thread: executes every task on the connection that the first message describes.
 * @param derived how a node of a cluster updates what it derives from copied rows
 */
export function serveOperations(pools: Record<string, Pool>, clock: Clock, derived: Derived): void {
  let opening: Opening | null = null;
  let db: Database | null = null;
  const scope = globalThis as unknown as Worker;
  const answer = (message: FromThread): void => scope.postMessage(message);
  scope.onmessage = async ({ data }: MessageEvent<ToThread>) => {
    if ("open" in data) {
      opening = data.open;
      return;
    }
    if ("end" in data) {
      db?.close();
      process.exit();
    }
    const { name, rest, timeoutMs } = data;
    const startedMs = clock.processor();
    const processorMs = (): number => clock.processor() - startedMs;
    try {
      const operation = opening === null ? undefined : pools[opening.pool]?.operations[name];
      if (operation === undefined || opening === null) throw new Error(`no operation ${name}`);
      // Opened by the first task that finds the file usable; tasks before it are refused.
      db ??= open(opening, clock, derived, answer);
      const connection = db;
      const work = (): unknown => operation(connection, clock, ...rest);
      const result =
        timeoutMs === null
          ? await work()
          : withDeadline(connection, clock.monotonic() + timeoutMs, () =>
              inReadTransaction(connection, work),
            );
      answer({ result, processorMs: processorMs() });
    } catch (error) {
      answer({ fault: toFault(error), processorMs: processorMs() });
    }
  };
}

function open(
  { pool, path, access, cluster }: Opening,
  clock: Clock,
  derived: Derived,
  answer: (message: FromThread) => void,
): Database {
  const db = openForCallers(path, clock, access);
  if (cluster !== null && access === "writer") linkToCluster(db, cluster, pool, derived);
  onLockHeld(db, (work, heldMs) => answer({ held: { work, heldMs } }));
  db.onSlow((sql, tookMs) => answer({ slow: { sql, tookMs } }));
  return db;
}

/** @throws AppError `unavailable`, whose cause is for the log only: callers must not see a path */
function openForCallers(path: string, clock: Clock, access: Access): Database {
  try {
    return openDatabase(path, clock, access);
  } catch (error) {
    throw storageUnavailable(error);
  }
}
