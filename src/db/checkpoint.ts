import type { Clock } from "../ports/clock.ts";
import { pauseThread } from "./busy.ts";
import type { Database } from "./database.ts";
import { noteHold } from "./lock-holds.ts";

/**
 * Checkpoints: the write-ahead log is copied into the file and begins anew. SQLite's own would come at
 * the end of somebody's commit; these come after the lock was given back, and are cut.
 */

/**
 * A connection that writes checkpoints the log after a commit once it has so many frames. 8,000 are
 * 32 MB: an import of channels, which writes the same pages again and again, takes a sixth less time
 * than with SQLite's usual 1,000.
 */
const LONG_FRAMES = 8_000;
/** Commits of a connection from one look at the log to the next. */
const COMMITS_PER_LOOK = 8;

/** A serving process checkpoints from some 8 MB on. */
const LONG_BESIDE_FRAMES = 2_000;
/**
 * A log that another process, such as an import, makes long is left to that one until 48 MB: at each
 * checkpoint pages are written that it is about to change again, which was more than half of all that
 * refreshing the numbers of a million channels wrote.
 */
const LONG_OF_OTHERS_FRAMES = 12_000;
/** Others write where the log grew by more than so many frames for each of the server's own commits, which have few. */
const OWN_COMMIT_FRAMES = 5;
/** Frames copied while writers wait, at the most: 2 MB, in some milliseconds. */
const LOCKED_FRAMES_MAX = 500;
/** An import's transactions and its own checkpoint may keep others out for so long. */
const WAIT_MAX_MS = 200;
/** A thread that is blocked meanwhile tries so often, a millisecond apart. */
const TRIES_MAX = 30;
/**
 * A log begins anew only once nobody reads in it. Whoever begins to read when all is copied does not, so
 * those who began before are waited for, under the lock. Without it the log grew to twice its length
 * beside two readers, and each try copied what the next transaction changed again.
 */
const READERS_WAIT_MS = 10;
const PAUSE_MS = 1;
/**
 * Copies after which the log counts as flushed: they take a millisecond or two each, and one of ten had no
 * commit of others beside it.
 */
const FLUSHED_AFTER_COPIES = 10;

interface LogState {
  /** 1: another connection stood in the way. */
  busy: number;
  /** Frames; -1 where there is no log, or another connection checkpoints it. */
  log: number;
  checkpointed: number;
}

/** Commits since the last look, of connections that checkpoint after their own commits. */
const commits = new WeakMap<Database, number>();

/** The log's frames at the last look of a connection that checkpoints beside others. */
const framesBefore = new WeakMap<Database, number>();

export function checkpointsItself(db: Database): void {
  commits.set(db, 0);
}

/** Leaves a connection's checkpoints to others, where its thread answers requests. */
export function leavesCheckpoints(db: Database): void {
  commits.delete(db);
}

/**
 * Checkpoints a long log after a commit, and blocks this thread meanwhile; never throws. Others write
 * on, but little: the log grew long by this connection's own commits, and these wait.
 */
export function checkpointIfLong(db: Database, clock: Clock): void {
  const count = commits.get(db);
  if (count === undefined) return;
  commits.set(db, (count + 1) % COMMITS_PER_LOOK);
  if (count + 1 < COMMITS_PER_LOOK) return;
  try {
    if (checkpoint(db, "NOOP").log >= LONG_FRAMES) checkpointNow(db, clock);
  } catch {
    // The commit before it holds all the same. What is wrong with the storage the next one meets.
  }
}

function checkpointNow(db: Database, clock: Clock): void {
  const copiesBeside = createCopy(db);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if (copiesBeside() && beginsAnew(db, clock)) return;
    pauseThread();
  }
}

/**
 * Copies what the log has while others write on, at each call until little is left. True once the file
 * is flushed as well, so that whoever takes the lock next has little left to copy and to flush. SQLite
 * flushes the file only where nobody has committed by the end of the copying. That can be seen where
 * nobody has by the end of the flush either; where others commit all the time it has happened after
 * some calls.
 */
function createCopy(db: Database): () => boolean {
  let copies = 0;
  let isFlushed = false;
  return () => {
    if (isFlushed && isNearlyThrough(db)) return true;
    const { log, checkpointed } = checkpoint(db, "PASSIVE");
    if (log < 0 || log !== checkpointed) return false;
    copies += 1;
    isFlushed ||= copies >= FLUSHED_AFTER_COPIES || checkpoint(db, "NOOP").log === log;
    return isFlushed && isNearlyThrough(db);
  };
}

function isNearlyThrough(db: Database): boolean {
  const { log, checkpointed } = checkpoint(db, "NOOP");
  return log - checkpointed <= LOCKED_FRAMES_MAX;
}

/**
 * Checkpoints a log that has grown long beside those who write: most of it while they go on, the rest
 * while they wait for the lock. Without that wait the log would hardly ever be through where several
 * write, and could not begin anew.
 * @param ownCommits commits of the server since it asked last, by which those of others are told
 */
export async function checkpointBeside(
  db: Database,
  clock: Clock,
  ownCommits: number,
): Promise<void> {
  const { log } = checkpoint(db, "NOOP");
  const before = framesBefore.get(db) ?? 0;
  framesBefore.set(db, log);
  // A log that is shorter than before began anew.
  const isOfOthers = log - (log < before ? 0 : before) > OWN_COMMIT_FRAMES * ownCommits;
  if (log < (isOfOthers ? LONG_OF_OTHERS_FRAMES : LONG_BESIDE_FRAMES)) return;
  const giveUpAtMs = clock.monotonic() + WAIT_MAX_MS;
  const copiesBeside = createCopy(db);
  while (!(copiesBeside() && beginsAnew(db, clock)) && clock.monotonic() < giveUpAtMs) {
    await clock.sleep(PAUSE_MS);
  }
  framesBefore.set(db, checkpoint(db, "NOOP").log);
}

/** Copies the rest under the lock. True where all is copied: if somebody still reads in the log, it begins anew later. */
function beginsAnew(db: Database, clock: Clock): boolean {
  const begunMs = clock.monotonic();
  db.pragma(`busy_timeout = ${READERS_WAIT_MS}`);
  const { busy, log, checkpointed } = checkpoint(db, "RESTART");
  db.pragma("busy_timeout = 0");
  // A checkpoint without the lock copies what it can, and holds up nobody.
  if (busy === 0) {
    writeFirstFrame(db);
    noteHold(db, "checkpoint", clock.monotonic() - begunMs);
  }
  return busy === 0 || (log >= 0 && checkpointed === log);
}

/**
 * Begins the new log. Whoever writes its first frame waits for the disk: that must not be the thread
 * that answers and counts. The row is of a table that each node of a cluster has for itself, since
 * changes of shared rows are for PostgreSQL.
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
 * Checkpoints the whole log and empties it, so that the file alone is the whole database. Where
 * another process reads or writes at this moment, the log stays for whoever opens the file next.
 */
export function checkpointWhole(db: Database): void {
  db.pragma("wal_checkpoint(TRUNCATE)");
}
