import type { Config } from "./config.ts";
import { type Database, IN_MEMORY, openDatabase } from "./db/database.ts";
import { inlineThreads, startThreads, type Threads } from "./db/threads.ts";
import {
  importOperations,
  jobOperations,
  peopleOperations,
  pushOperations,
  readOperations,
  sessionOperations,
  usageOperations,
  writeOperations,
} from "./operations.ts";
import type { Clock } from "./ports/clock.ts";

/** Threads that may run slow queries at once; one more slow query waits for a free one. */
const READER_THREADS = 4;

export interface DatabaseThreads {
  readers: Threads<typeof readOperations>;
  usage: Threads<typeof usageOperations>;
  writer: Threads<typeof writeOperations>;
  push: Threads<typeof pushOperations>;
  people: Threads<typeof peopleOperations>;
  sessions: Threads<typeof sessionOperations>;
  jobs: Threads<typeof jobOperations>;
  imports: Threads<typeof importOperations>;
}

/** Serving reads on a connection that refuses writes; a database in memory has only the one. */
export function readingConnection(config: Config, clock: Clock, db: Database): Database {
  return config.databasePath === IN_MEMORY
    ? db
    : openDatabase(config.databasePath, clock, "reader");
}

/** Which operations have a thread of their own; all run on the one connection of a database in memory. */
export function databaseThreads(config: Config, clock: Clock, db: Database): DatabaseThreads {
  const path = config.databasePath;
  if (path === IN_MEMORY) {
    return {
      readers: inlineThreads(readOperations, db, clock),
      usage: inlineThreads(usageOperations, db, clock),
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
  const counting = { access: "counter", count: 1, timeoutMs: null } as const;
  const writing = { access: "writer", count: 1, timeoutMs: null } as const;
  return {
    readers: startThreads({ path, entry, clock, ...reading }),
    usage: startThreads({ path, entry, clock, ...counting }),
    writer: startThreads({ path, entry, clock, ...writing }),
    push: startThreads({ path, entry, clock, ...writing }),
    people: startThreads({ path, entry, clock, ...writing }),
    sessions: startThreads({ path, entry, clock, ...writing }),
    jobs: startThreads({ path, entry, clock, ...writing }),
    imports: startThreads({ path, entry, clock, ...writing }),
  };
}
