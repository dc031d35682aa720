import type { EventLoopDelay, ProcessFacts } from "../../ports/system.ts";

/** Readings taken at each scrape. Instants in epoch milliseconds. */
export interface Readings {
  /** Null where the database does not answer. */
  database: DatabaseReadings | null;
  /** Threads by the name of their pool. */
  threads: Record<string, { threads: number; busy: number; waiting: number }>;
  diskFreeBytes: number | null;
  /** When the last daily backup was finished; null where none lies there. */
  lastBackupAt: number | null;
  /** Null where the appliance is no node of a cluster. */
  clusterLagMs: number | null;
  eventLoopDelay: EventLoopDelay | null;
  process: ProcessFacts;
}

export interface DatabaseReadings {
  fileBytes: number;
  walBytes: number;
  deliveriesDue: number;
  /** Null where none is due. */
  oldestDueMs: number | null;
  postsWaiting: number;
  alertPostsWaiting: number;
  /** Null where none waits. */
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
  /** Null where nothing came that tells it. */
  lagMs: number | null;
  isSilent: boolean;
}
