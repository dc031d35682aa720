import type { EventLoopDelay, ProcessFacts } from "../../ports/system.ts";

/** Readings taken at each scrape. Instants are in epoch milliseconds. */
export interface Readings {
  /** Null if the database does not respond. */
  database: DatabaseReadings | null;
  /** Threads by lane. */
  threads: Record<string, { threads: number; busy: number; waiting: number }>;
  diskFreeBytes: number | null;
  /** When the latest daily backup was completed; null if there is none. */
  lastBackupAt: number | null;
  /** Null on a standalone appliance. */
  clusterLagMs: number | null;
  eventLoopDelay: EventLoopDelay | null;
  process: ProcessFacts;
}

export interface DatabaseReadings {
  fileBytes: number;
  walBytes: number;
  deliveriesDue: number;
  /** Null if none is due. */
  oldestDueMs: number | null;
  postsWaiting: number;
  alertPostsWaiting: number;
  /** Null if none is waiting. */
  oldestAlertPostMs: number | null;
  mailsWaiting: number;
  jobs: { name: string; startedAt: number | null; failure: string | null }[];
  sources: SourceReadings[];
}

export interface SourceReadings {
  name: string;
  succeededAt: number | null;
  failures: number;
  rows: number;
  /** Null if nothing has arrived that would tell. */
  lagMs: number | null;
  isSilent: boolean;
}
