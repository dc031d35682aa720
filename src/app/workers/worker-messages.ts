import type { NewUpload } from "../../catalog/imports/runs/held-uploads.ts";
import type { Readiness } from "../../doors/http/readiness.ts";
import type { SetUpToken } from "../../doors/site/guard/set-up.ts";
import type { RecentEntry } from "../../ports/recent-log.ts";
import type { MetricsJson } from "../../upkeep/metrics/metrics.ts";

/** Questions that a worker may ask all others, and the type of each answer. */
export interface Questions {
  /** The asking worker includes its own metrics, which are kept for when it has ended. */
  metrics: { asked: MetricsJson; answer: MetricsJson };
  ready: { asked: null; answer: Readiness };
  errors: { asked: null; answer: RecentEntry[] };
  findUpload: { asked: string; answer: NewUpload | null };
  releaseUpload: { asked: string; answer: NewUpload | null };
}

export type Question = {
  [Name in keyof Questions]: { name: Name; asked: Questions[Name]["asked"] };
}[keyof Questions];

/** How a worker is started. */
export interface WorkerStart {
  /** The worker's number, counted from 1. */
  number: number;
  count: number;
  setUp: SetUpToken;
  /** Instant that the shared memory's times are relative to; epoch milliseconds. */
  baseMs: number;
}

/** Messages to a worker. */
export type ToWorker =
  | { start: WorkerStart }
  | { asked: Question; id: number }
  /** Answers to a question of this worker; null for each worker that gave none. */
  | { told: unknown[]; id: number }
  /** Echoed by any worker whose event loop is running. */
  | { heartbeat: true }
  | { stop: true };

/** Messages from a worker. */
export type FromWorker =
  /** The worker is listening. */
  | { ready: true; setUpPath: string | null }
  | { ask: Question; id: number }
  | { heartbeat: true }
  | { answer: unknown; id: number };
