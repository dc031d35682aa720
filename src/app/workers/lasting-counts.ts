import type { MetricsJson } from "../../upkeep/metrics/metrics.ts";

/**
 * Counts of workers that have ended, as they were last told: without them a sum would fall when a worker
 * ends, which Prometheus would take for a restart of all, and count all of it once more.
 * @param sum one worker's metrics of several
 */
export function createLastingCounts(sum: (all: MetricsJson[]) => Promise<MetricsJson>) {
  const last = new Map<number, MetricsJson>();
  let ofEnded: Promise<MetricsJson> = Promise.resolve([]);
  return {
    note(worker: number, metrics: MetricsJson): void {
      last.set(worker, metrics);
    },

    ended(worker: number): void {
      // Gauges are of the moment: a worker that has ended has none.
      const counts = (last.get(worker) ?? []).filter(({ type }) => String(type) !== "gauge");
      last.delete(worker);
      ofEnded = ofEnded.then((before) => sum([before, counts]));
    },

    /** Last counts of a worker that does not answer just now. */
    lastOf: (worker: number): MetricsJson | null =>
      last.get(worker)?.filter(({ type }) => String(type) !== "gauge") ?? null,

    ofEnded: (): Promise<MetricsJson> => ofEnded,
  };
}
