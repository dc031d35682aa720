import { storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Derived } from "./cluster/apply-rows.ts";
import { linkToCluster } from "./cluster/link.ts";
import type { Database } from "./database.ts";
import { withDeadline } from "./deadline.ts";
import { onLockHeld } from "./lock-holds.ts";
import { type Access, openDatabase } from "./open-database.ts";
import type { Lane } from "./operations.ts";
import { inReadTransaction } from "./read-transaction.ts";
import { type FromThread, type Opening, type ToThread, toFault } from "./thread-messages.ts";

/**
 * Runs in each thread: executes every task on a connection to the file that the first message names.
 * @param derived how a node of a cluster updates what it derives from copied rows
 */
export function serveOperations(lanes: Record<string, Lane>, clock: Clock, derived: Derived): void {
  let opening: Opening | null = null;
  const connections = new Map<Access, Database>();
  const scope = globalThis as unknown as Worker;
  const answer = (message: FromThread): void => scope.postMessage(message);

  /** Opened by the first task that finds the file usable; tasks before it are refused. */
  function connectionFor(access: Access, opened: Opening): Database {
    const db = connections.get(access) ?? open(opened, access, clock, derived, answer);
    connections.set(access, db);
    return db;
  }

  scope.onmessage = async ({ data }: MessageEvent<ToThread>) => {
    if ("open" in data) {
      opening = data.open;
      return;
    }
    if ("end" in data) {
      for (const db of connections.values()) db.close();
      process.exit();
    }
    const { name, rest, timeoutMs } = data;
    const startedMs = clock.processor();
    const processorMs = (): number => clock.processor() - startedMs;
    try {
      const operation = opening === null ? undefined : lanes[opening.lane]?.operations[name];
      if (operation === undefined || opening === null) throw new Error(`no operation ${name}`);
      const db = connectionFor(operation.rule.access, opening);
      const work = (): unknown => operation.run(db, clock, ...rest);
      const result =
        timeoutMs === null
          ? await work()
          : withDeadline(db, clock.monotonic() + timeoutMs, () => inReadTransaction(db, work));
      answer({ result, processorMs: processorMs() });
    } catch (error) {
      answer({ fault: toFault(error), processorMs: processorMs() });
    }
  };
}

function open(
  { lane, path, cluster }: Opening,
  access: Access,
  clock: Clock,
  derived: Derived,
  answer: (message: FromThread) => void,
): Database {
  const db = openForCallers(path, clock, access);
  if (cluster !== null && access === "writer") linkToCluster(db, cluster, lane, derived);
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
