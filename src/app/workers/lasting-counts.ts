import type { MetricsJson } from "../../upkeep/metrics/metrics.ts";

/**
 * Keeps the last known counters of workers that ended. Without them the sum would drop when a worker ends;
 * Prometheus would take that for a restart of the whole appliance and count everything again.
 * @param sum merges the metrics of several workers
 */
export function createLastingCounts(sum: (all: MetricsJson[]) => Promise<MetricsJson>) {
  const last = new Map<number, MetricsJson>();
  let ofEnded: Promise<MetricsJson> = Promise.resolve([]);
  return {
    note(worker: number, metrics: MetricsJson): void {
      last.set(worker, metrics);
    },

    ended(worker: number): void {
      // Gauges describe the present, so an ended worker has none.
      const counts = (last.get(worker) ?? []).filter(({ type }) => String(type) !== "gauge");
      last.delete(worker);
      // Counters that cannot be merged are lost; failing would end the supervisor, and all workers with it.
      ofEnded = ofEnded.then((before) => sum([before, counts]).catch(() => before));
    },

    /** Last known counters of a worker that is not responding. */
    lastOf: (worker: number): MetricsJson | null =>
      last.get(worker)?.filter(({ type }) => String(type) !== "gauge") ?? null,

    ofEnded: (): Promise<MetricsJson> => ofEnded,
  };
}
