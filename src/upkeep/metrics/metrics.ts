import {
  AggregatorRegistry,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";
import type { Ports } from "../../ports/ports.ts";
import { createReadingGauges } from "./reading-gauges.ts";
import type { Readings } from "./readings.ts";
import { createRequestNotes } from "./request-notes.ts";
import { createWorkCounts } from "./work-counts.ts";

export type Metrics = ReturnType<typeof createMetrics>;

/** All metrics of one worker, as plain data. */
export type MetricsJson = MetricObjectWithValues<MetricValue<string>>[];

/**
 * Metrics of an appliance, for Prometheus. Label values come from fixed sets and never from callers.
 * @param logsAllRequests whether every request is logged
 */
export function createMetrics(
  version: string,
  ports: Pick<Ports, "clock" | "log">,
  logsAllRequests: boolean,
) {
  const registry = new Registry();
  new Gauge({
    name: "kanalog_info",
    help: "The versions that run.",
    labelNames: ["version", "bun"],
    registers: [registry],
    aggregator: "first",
  }).set({ version, bun: Bun.version }, 1);
  const setReadings = createReadingGauges(registry);
  return {
    noteRequests: createRequestNotes(registry, ports, logsAllRequests),
    counted: createWorkCounts(registry, ports.clock),
    contentType: registry.contentType,

    /** Metrics of this process. */
    json(readings: Readings): Promise<MetricsJson> {
      setReadings(readings);
      return registry.getMetricsAsJSON();
    },

    /**
     * Text of one scrape.
     * @param askOthers returns metrics of the other workers, null if there are none. Counters are summed;
     * of values that every worker sees alike, such as the file's size, the largest is reported
     */
    async text(readings: Readings, askOthers: AskOthers | null): Promise<string> {
      if (askOthers === null) {
        setReadings(readings);
        return registry.metrics();
      }
      const own = await this.json(readings);
      return AggregatorRegistry.aggregate([own, ...(await askOthers(own))]).metrics();
    },
  };
}

type AskOthers = (own: MetricsJson) => Promise<MetricsJson[]>;

/** Merges the metrics of several workers into one set. */
export function summed(all: MetricsJson[]): Promise<MetricsJson> {
  return AggregatorRegistry.aggregate(all).getMetricsAsJSON();
}
