import { storageUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Database } from "./database.ts";
import { withDeadline } from "./deadline.ts";
import { onLockHeld } from "./lock-watch.ts";
import { type Access, openDatabase } from "./open-database.ts";
import type { Lane } from "./operations.ts";
import { inReadTransaction } from "./read-transaction.ts";
import type { NodeSettings } from "./shared-rows.ts";
import { type FromThread, type Opening, type ToThread, toFault } from "./thread-messages.ts";

/**
 * Runs in each thread: executes every task on a connection to the file that the first message names.
 * @param share makes a writing connection share its rows with other machines
 */
export function serveOperations(
  lanes: Record<string, Lane>,
  clock: Clock,
  share: (db: Database, node: NodeSettings, lane: string) => void,
): void {
  let opening: Opening | null = null;
  const connections = new Map<Access, Database>();
  const scope = globalThis as unknown as Worker;
  const answer = (message: FromThread): void => scope.postMessage(message);

  /** Opened by the first task that finds the file usable; tasks before it are refused. */
  function connectionFor(access: Access, { lane, path, node }: Opening): Database {
    const opened = connections.get(access);
    if (opened !== undefined) return opened;
    const db = openForCallers(path, clock, access);
    connections.set(access, db);
    if (node !== null && access === "writer") share(db, node, lane);
    onLockHeld(db, (work, heldMs) => answer({ held: { work, heldMs } }));
    db.onSlow((sql, tookMs) => answer({ slow: { sql, tookMs } }));
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

/** @throws AppError `unavailable`, whose cause is for the log only: callers must not see a path */
function openForCallers(path: string, clock: Clock, access: Access): Database {
  try {
    return openDatabase(path, clock, access);
  } catch (error) {
    throw storageUnavailable(error);
  }
}
