import type { NewUpload } from "../../catalog/imports/runs/upload-files.ts";
import type { SetUpToken } from "../../doors/site/guard/set-up.ts";
import type { RecentEntry } from "../../ports/recent-log.ts";
import type { Readiness } from "../../upkeep/checks/readiness.ts";
import type { MetricsJson } from "../../upkeep/metrics/metrics.ts";

/** Questions that a worker may ask all others, each with its argument and the type of its answer. */
export interface Questions {
  /** The argument is the asking worker's own metrics, which the supervisor keeps for when it has ended. */
  metrics: { argument: MetricsJson; answer: MetricsJson };
  ready: { argument: null; answer: Readiness };
  errors: { argument: null; answer: RecentEntry[] };
  findUpload: { argument: string; answer: NewUpload | null };
  releaseUpload: { argument: string; answer: NewUpload | null };
}

export type Question = {
  [Name in keyof Questions]: { name: Name; argument: Questions[Name]["argument"] };
}[keyof Questions];

/** How a worker is started. */
export interface WorkerStart {
  /** The worker's number, counted from 1. */
  number: number;
  count: number;
  setUp: SetUpToken;
  /** Instant that the shared memory's times are relative to; epoch milliseconds. */
  baseMs: number;
  /** When the machine booted, by the supervisor's clock while it was right; epoch milliseconds. */
  bootedAt: number;
}

/** Messages to a worker. */
export type ToWorker =
  | { start: WorkerStart }
  /** Another worker's question, which this one answers. */
  | { question: Question; id: number }
  /** Answers to a question of this worker; null for each worker that gave none. */
  | { answers: unknown[]; id: number }
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

/** A worker process, as its supervisor sees it. */
export interface WorkerChild {
  child: Bun.Subprocess<"ignore", "inherit", "inherit">;
  /** Whether it is listening. */
  isReady: boolean;
  /** Heartbeats sent since its last answer. */
  unanswered: number;
}

/** Sends a message; does nothing if the worker is ending. */
export function sendTo({ child }: WorkerChild, message: ToWorker): void {
  try {
    child.send(message);
  } catch {}
}
