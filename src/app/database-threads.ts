import type { Config } from "../config.ts";
import { type Database, IN_MEMORY, openDatabase } from "../db/database.ts";
import type { NoteHold } from "../db/lock-holds.ts";
import { inlineThreads, startThreads, type Threads } from "../db/threads.ts";
import type { Clock } from "../ports/clock.ts";
import {
  bodyOperations,
  checkpointOperations,
  importOperations,
  jobOperations,
  peopleOperations,
  pushOperations,
  readOperations,
  sessionOperations,
  writeOperations,
} from "./operations.ts";

/** Threads that may run slow queries at once; one more slow query waits for a free one. */
const READER_THREADS = 4;

export interface DatabaseThreads {
  readers: Threads<typeof readOperations>;
  bodies: Threads<typeof bodyOperations>;
  checkpoints: Threads<typeof checkpointOperations>;
  writer: Threads<typeof writeOperations>;
  push: Threads<typeof pushOperations>;
  people: Threads<typeof peopleOperations>;
  sessions: Threads<typeof sessionOperations>;
  jobs: Threads<typeof jobOperations>;
  imports: Threads<typeof importOperations>;
}

/**
 * Serving counts on the connection that it reads on: SQLite empties a connection's cache after every
 * commit of another, and units are committed all the time. A database in memory has only the one.
 */
export function servingConnection(config: Config, clock: Clock, db: Database): Database {
  return config.databasePath === IN_MEMORY
    ? db
    : openDatabase(config.databasePath, clock, "counter");
}

/** Which operations have a thread of their own; all run on the one connection of a database in memory. */
export function databaseThreads(
  config: Config,
  clock: Clock,
  db: Database,
  noteHold: NoteHold,
): DatabaseThreads {
  const path = config.databasePath;
  if (path === IN_MEMORY) {
    return {
      readers: inlineThreads(readOperations, db, clock),
      bodies: inlineThreads(bodyOperations, db, clock),
      checkpoints: inlineThreads(checkpointOperations, db, clock),
      writer: inlineThreads(writeOperations, db, clock),
      push: inlineThreads(pushOperations, db, clock),
      people: inlineThreads(peopleOperations, db, clock),
      sessions: inlineThreads(sessionOperations, db, clock),
      jobs: inlineThreads(jobOperations, db, clock),
      imports: inlineThreads(importOperations, db, clock),
    };
  }
  const entry = new URL("./thread.ts", import.meta.url);
  const reading = {
    access: "reader",
    count: READER_THREADS,
    timeoutMs: config.queryTimeoutMs,
  } as const;
  const writing = { access: "writer", count: 1, timeoutMs: null, noteHold } as const;
  return {
    readers: startThreads({ path, entry, clock, ...reading }),
    bodies: startThreads({ path, entry, clock, access: "reader", count: 1, timeoutMs: null }),
    checkpoints: startThreads({ path, entry, clock, ...writing }),
    writer: startThreads({ path, entry, clock, ...writing }),
    push: startThreads({ path, entry, clock, ...writing }),
    people: startThreads({ path, entry, clock, ...writing }),
    sessions: startThreads({ path, entry, clock, ...writing }),
    jobs: startThreads({ path, entry, clock, ...writing }),
    imports: startThreads({ path, entry, clock, ...writing }),
  };
}
