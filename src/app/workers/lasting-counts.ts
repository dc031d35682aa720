import type { MetricsJson } from "../../upkeep/metrics/metrics.ts";

/**
 * Keeps the last known counters of workers that ended. Without them the sum would drop when a worker ends;
 * Prometheus would take that for a restart of the whole appliance and count everything again.
 * @param sum merges the metrics of several workers
 */
export function createLastingCounts(sum: (all: MetricsJson[]) => Promise<MetricsJson>) {
  const last = new Map<number, MetricsJson>();
  let ofEnded: Promise<MetricsJson> = Promise.resolve([]);

  /** Last known counters of a worker. Gauges describe the present, so one that is silent or ended has none. */
  function lastOf(worker: number): MetricsJson | null {
    return last.get(worker)?.filter(({ type }) => String(type) !== "gauge") ?? null;
  }

  return {
    note(worker: number, metrics: MetricsJson): void {
      last.set(worker, metrics);
    },

    ended(worker: number): void {
      const counts = lastOf(worker) ?? [];
      last.delete(worker);
      // Counters that cannot be merged are lost; failing would end the supervisor, and all workers with it.
      ofEnded = ofEnded.then((before) => sum([before, counts]).catch(() => before));
    },

    lastOf,

    ofEnded: (): Promise<MetricsJson> => ofEnded,
  };
}
