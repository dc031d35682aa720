import { Gauge, Registry } from "prom-client";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { createReadingGauges, type Readings } from "./readings.ts";
import { createRequestNotes } from "./request-notes.ts";
import { createWorkCounts } from "./work-counts.ts";

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * What Prometheus reads of one appliance. Every label's values are of a fixed set: nothing that a
 * caller sends is in them.
 * @param tellsAllRequests whether each request has a line in the log
 */
export function createMetrics(
  version: string,
  ports: { clock: Clock; log: Log },
  tellsAllRequests: boolean,
) {
  const registry = new Registry();
  new Gauge({
    name: "kanalog_info",
    help: "The versions that run.",
    labelNames: ["version", "bun"],
    registers: [registry],
  }).set({ version, bun: Bun.version }, 1);
  const setReadings = createReadingGauges(registry);
  return {
    noteRequests: createRequestNotes(registry, ports, tellsAllRequests),
    counted: createWorkCounts(registry, ports.clock),
    contentType: registry.contentType,

    /** The text of one scrape. */
    text(readings: Readings): Promise<string> {
      setReadings(readings);
      return registry.metrics();
    },
  };
}
