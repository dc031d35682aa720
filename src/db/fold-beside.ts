import type { Clock } from "../ports/clock.ts";
import type { Database } from "./database.ts";

/** Some 8 MB of the write-ahead log. */
const FOLDED_FROM_FRAMES = 2_000;
/** So much is folded while others wait, at the most: some 40 MB, in some tenths of a second. */
const FOLDED_WITH_LOCK_FRAMES = 10_000;
/** As long as the transactions of an import and its own folding let nobody between. */
const WAIT_MAX_MS = 200;
const PAUSE_MS = 1;

interface LogState {
  /** 1: another connection stood in the way. */
  busy: number;
  /** Frames; -1 where there is no log, or another connection folds it. */
  log: number;
  checkpointed: number;
}

/**
 * Folds a log that has grown long into the file, beside those who write: most of it while they go on,
 * the rest while they wait for the lock. Without that wait the log would hardly ever be through
 * where several write, and could not begin anew.
 */
export async function foldBeside(db: Database, clock: Clock): Promise<void> {
  if (checkpoint(db, "NOOP").log < FOLDED_FROM_FRAMES) return;
  checkpoint(db, "PASSIVE");
  const giveUpAtMs = clock.monotonic() + WAIT_MAX_MS;
  for (;;) {
    const { log, checkpointed } = checkpoint(db, "NOOP");
    if (log - checkpointed > FOLDED_WITH_LOCK_FRAMES) checkpoint(db, "PASSIVE");
    else if (isThrough(checkpoint(db, "RESTART"))) return;
    if (clock.monotonic() >= giveUpAtMs) return;
    await clock.sleep(PAUSE_MS);
  }
}

/** All is folded. Where somebody still reads in the log it begins anew later. */
function isThrough({ busy, log, checkpointed }: LogState): boolean {
  return busy === 0 || (log >= 0 && checkpointed === log);
}

function checkpoint({ $client }: Database, mode: "NOOP" | "PASSIVE" | "RESTART"): LogState {
  const [state] = $client.pragma(`wal_checkpoint(${mode})`) as LogState[];
  return state as LogState;
}
