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
 * Metrics of one appliance, for Prometheus. Every label's values are of a fixed set: nothing that a
 * caller sends is in them.
 * @param tellsAllRequests whether each request has a line in the log
 */
export function createMetrics(
  version: string,
  ports: Pick<Ports, "clock" | "log">,
  tellsAllRequests: boolean,
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
    noteRequests: createRequestNotes(registry, ports, tellsAllRequests),
    counted: createWorkCounts(registry, ports.clock),
    contentType: registry.contentType,

    /** The metrics of this process. */
    json(readings: Readings): Promise<MetricsJson> {
      setReadings(readings);
      return registry.getMetricsAsJSON();
    },

    /**
     * The text of one scrape.
     * @param askOthers metrics of the other workers, null where there are none: what is counted is summed
     *   up, and of what each of them sees alike, such as the file's size, the largest is told
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

/** Metrics of several workers as those of one. */
export function summed(all: MetricsJson[]): Promise<MetricsJson> {
  return AggregatorRegistry.aggregate(all).getMetricsAsJSON();
}
