import type { NewUpload } from "../../catalog/imports/held-uploads.ts";
import type { Readiness } from "../../doors/http/readiness.ts";
import type { SetUpToken } from "../../doors/site/guard/set-up.ts";
import type { RecentEntry } from "../../ports/recent-log.ts";
import type { MetricsJson } from "../../upkeep/metrics/metrics.ts";

/** Questions that a worker has for all others, with what each answers. */
export interface Questions {
  /** The asker sends its own along: they are kept for when it has ended. */
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
  /** The worker's place, from 1 on. */
  number: number;
  count: number;
  setUp: SetUpToken;
  /** The instant from which the workers' shared memory counts; epoch milliseconds. */
  baseMs: number;
}

/** Messages to a worker. */
export type ToWorker =
  | { start: WorkerStart }
  | { asked: Question; id: number }
  /** Answers to a question that this worker asked; null for each worker that gave none. */
  | { told: unknown[]; id: number }
  /** Sent back as it is by a worker whose event loop turns. */
  | { heartbeat: true }
  | { stop: true };

/** Messages from a worker. */
export type FromWorker =
  /** The worker listens. */
  | { ready: true; setUpPath: string | null }
  | { ask: Question; id: number }
  | { heartbeat: true }
  | { answer: unknown; id: number };
