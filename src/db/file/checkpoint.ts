import type { Clock } from "../../ports/clock.ts";
import type { Database } from "../database.ts";
import { noteHold, pauseThread } from "../lock.ts";

/**
 * Checkpoints copy the write-ahead log into the file and restart the log. SQLite would run one within
 * somebody's commit; these run after the lock is released, and in small steps.
 */

/**
 * Frames from which a writing connection checkpoints after its commit. 8,000 frames are 32 MB: an import of
 * channels, which rewrites the same pages many times, takes a sixth less time than with SQLite's default of
 * 1,000.
 */
const LONG_FRAMES = 8_000;
/** Commits of a connection between two looks at the log's length. */
const COMMITS_PER_LOOK = 8;

/** Frames from which a serving process checkpoints: some 8 MB. */
const LONG_BESIDE_FRAMES = 2_000;
/**
 * Frames up to which a log that another process fills, such as an import, is left to that process: 48 MB.
 * Each checkpoint writes pages that the import is about to change again; that was more than half of all
 * bytes written while refreshing the numbers of a million channels.
 */
const LONG_OF_OTHERS_FRAMES = 12_000;
/**
 * If the log grew by more frames than this per commit of the server's own, which are small, others write
 * too.
 */
const OWN_COMMIT_FRAMES = 5;
/** Most frames to copy while writers wait: 2 MB, in a few milliseconds. */
const LOCKED_FRAMES_MAX = 500;
/** How long to wait for the lock, which an import's transaction or its own checkpoint may hold. */
const WAIT_MAX_MS = 200;
/** Attempts of a thread that blocks meanwhile, a millisecond apart. */
const TRIES_MAX = 30;
/**
 * How long to wait, under the lock, for readers of the old log. The log restarts only when nobody reads
 * from it, and readers that begin after everything was copied do not. Without this wait the log grew to
 * twice its length beside two readers, and every attempt copied pages that the next transaction changed
 * again.
 */
const READERS_WAIT_MS = 10;
const PAUSE_MS = 1;
/**
 * Copies after which the log counts as flushed. Each takes a millisecond or two, and about one in ten had
 * no commit of another connection beside it.
 */
const FLUSHED_AFTER_COPIES = 10;

interface LogState {
  /** 1 if another connection kept the checkpoint from completing. */
  busy: number;
  /** Frames in the log; -1 if there is no log, or another connection is checkpointing it. */
  log: number;
  /** Frames of the log that are copied into the file. */
  checkpointed: number;
}

/** Commits since the last look, for connections that checkpoint after their own commits. */
const commits = new WeakMap<Database, number>();

/** Length of the log in frames at the last look, for connections that checkpoint beside others. */
const framesBefore = new WeakMap<Database, number>();

/** Lets a connection checkpoint after its own commits. */
export function checkpointsItself(db: Database): void {
  commits.set(db, 0);
}

/** Leaves a connection's checkpoints to others, because its thread answers requests. */
export function leavesCheckpoints(db: Database): void {
  commits.delete(db);
}

/**
 * Checkpoints after a commit if the log is long, blocking this thread; never throws. Others may write
 * meanwhile, but hardly do: it was this connection's commits that made the log long.
 */
export function checkpointIfLong(db: Database, clock: Clock): void {
  const count = commits.get(db);
  if (count === undefined) return;
  commits.set(db, (count + 1) % COMMITS_PER_LOOK);
  if (count + 1 < COMMITS_PER_LOOK) return;
  try {
    if (checkpoint(db, "NOOP").log >= LONG_FRAMES) checkpointNow(db, clock);
  } catch {
    // The preceding commit stands regardless. The next commit will meet any fault of the storage.
  }
}

function checkpointNow(db: Database, clock: Clock): void {
  const copiesBeside = createLogCopy(db);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if (copiesBeside() && restartLog(db, clock)) return;
    pauseThread();
  }
}

/**
 * Returns a function that copies the log while others write, to be called until it returns true: then
 * little is left to copy and the file is flushed as well, so that the final step under the lock is short.
 * SQLite flushes the file only if nobody committed before the copying ended. This is visible only if nobody
 * committed during the flush either; under constant commits it is assumed after several calls.
 */
function createLogCopy(db: Database): () => boolean {
  let copies = 0;
  let isFlushed = false;
  return () => {
    if (isFlushed && isNearlyCopied(db)) return true;
    const { log, checkpointed } = checkpoint(db, "PASSIVE");
    if (log < 0 || log !== checkpointed) return false;
    copies += 1;
    isFlushed ||= copies >= FLUSHED_AFTER_COPIES || checkpoint(db, "NOOP").log === log;
    return isFlushed && isNearlyCopied(db);
  };
}

function isNearlyCopied(db: Database): boolean {
  const { log, checkpointed } = checkpoint(db, "NOOP");
  return log - checkpointed <= LOCKED_FRAMES_MAX;
}

/**
 * Checkpoints a long log beside writers: most of it while they continue, the rest while they wait for the
 * lock. Without that wait the log would hardly ever be fully copied under several writers, and could not
 * restart.
 * @param ownCommits the server's own commits since the last call, which tell its frames from others'
 */
export async function checkpointBeside(
  db: Database,
  clock: Clock,
  ownCommits: number,
): Promise<void> {
  const { log } = checkpoint(db, "NOOP");
  const before = framesBefore.get(db) ?? 0;
  framesBefore.set(db, log);
  // A log shorter than at the last look was restarted in between.
  const isOfOthers = log - (log < before ? 0 : before) > OWN_COMMIT_FRAMES * ownCommits;
  if (log < (isOfOthers ? LONG_OF_OTHERS_FRAMES : LONG_BESIDE_FRAMES)) return;
  const giveUpAtMs = clock.monotonic() + WAIT_MAX_MS;
  const copiesBeside = createLogCopy(db);
  while (!(copiesBeside() && restartLog(db, clock)) && clock.monotonic() < giveUpAtMs) {
    await clock.sleep(PAUSE_MS);
  }
  framesBefore.set(db, checkpoint(db, "NOOP").log);
}

/**
 * Copies the rest under the lock and restarts the log. True if everything was copied: if somebody still
 * reads from the log then, the next commit restarts it.
 */
function restartLog(db: Database, clock: Clock): boolean {
  const begunMs = clock.monotonic();
  const { busy, log, checkpointed } = checkpointWaiting(db);
  // Without the lock, a checkpoint copies what it can and blocks nobody.
  if (busy === 0) {
    writeFirstFrame(db);
    noteHold(db, "checkpoint", clock.monotonic() - begunMs);
  }
  return busy === 0 || (log >= 0 && checkpointed === log);
}

function checkpointWaiting(db: Database): LogState {
  db.pragma(`busy_timeout = ${READERS_WAIT_MS}`);
  try {
    return checkpoint(db, "RESTART");
  } finally {
    db.pragma("busy_timeout = 0");
  }
}

/**
 * Writes the first frame of the restarted log, whose writer waits for the disk: that must not be the thread
 * that answers and bills. The row belongs to a table that each node of a cluster has for itself, because
 * changes of shared rows would go through PostgreSQL.
 */
function writeFirstFrame(db: Database): void {
  try {
    db.exec("BEGIN IMMEDIATE");
    db.exec("UPDATE cards_version SET version = version");
    db.exec("COMMIT");
  } catch {
    if (db.isInTransaction) db.exec("ROLLBACK");
  }
}

function checkpoint(db: Database, mode: "NOOP" | "PASSIVE" | "RESTART"): LogState {
  const [state] = db.pragma<LogState>(`wal_checkpoint(${mode})`);
  return state as LogState;
}

/**
 * Checkpoints the whole log and truncates it, so that the file alone is the whole database. If another
 * process is reading or writing, the log stays for whoever opens the file next.
 */
export function checkpointWhole(db: Database): void {
  db.pragma("wal_checkpoint(TRUNCATE)");
}
