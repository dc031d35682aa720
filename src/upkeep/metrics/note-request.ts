import { Counter, type Histogram, type Registry } from "prom-client";
import type { Ports } from "../../ports/ports.ts";

/**
 * Records an answered request.
 * @param startedMs monotonic time
 * @param caller null if no valid key was sent
 */
export type NoteRequest = (
  status: number,
  startedMs: number,
  requestId: string,
  caller: { organization: { id: number }; key: { id: number } } | null,
) => void;

/** Called once for each operation of a door; operations come from a fixed set. */
export type NoteRequests = (
  door: "rest" | "operator" | "mcp" | "site" | "public",
  operation: string,
) => NoteRequest;

/** Operation name for redirects and unknown addresses. */
export const OTHER = "other";

/** Wraps a handler of requests without a key so that its answers are recorded. */
export function noted<Incoming>(
  note: NoteRequest,
  monotonic: () => number,
  answer: (incoming: Incoming) => Response | Promise<Response>,
): (incoming: Incoming) => Promise<Response> {
  return async (incoming) => {
    const startedMs = monotonic();
    const response = await answer(incoming);
    note(response.status, startedMs, response.headers.get("x-request-id") ?? "", null);
    return response;
  };
}

/** Requests that take this long are logged. */
const SLOW_MS = 1_000;

/**
 * Records how requests ended, in the metrics and in the log. The log gets all of them, or only server
 * errors and slow requests.
 */
export function createRequestNotes(
  registry: Registry,
  { clock, log }: Pick<Ports, "clock" | "log">,
  logsAll: boolean,
): NoteRequests {
  const registers = [registry];
  /** Requests of each operation by status, which are handed to the metrics once these are read. */
  const all: { door: string; operation: string; counts: Map<number, number> }[] = [];
  const collect = (): void => {
    for (const { counts, ...of } of all) {
      for (const [status, count] of counts) requests.inc({ ...of, status }, count);
      counts.clear();
    }
  };
  const requests = new Counter({
    name: "kanalog_requests_total",
    help: "Requests answered, by door, operation and status.",
    labelNames: ["door", "operation", "status"],
    registers,
    collect,
  });
  const durationsOf = createDurations(registry, {
    name: "kanalog_request_duration_seconds",
    help: "From the routed request to its answer.",
  });
  return (door, operation): NoteRequest => {
    const addDuration = durationsOf({ door, operation });
    const counts = new Map<number, number>();
    all.push({ door, operation, counts });
    return (status, startedMs, requestId, caller) => {
      const durationMs = clock.monotonic() - startedMs;
      addDuration(durationMs / 1000);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      const isFailed = status >= 500;
      if (!logsAll && !isFailed && durationMs < SLOW_MS) return;
      const details = {
        requestId,
        door,
        operation,
        status,
        durationMs: Math.round(durationMs * 1000) / 1000,
        ...(caller !== null && { organizationId: caller.organization.id, keyId: caller.key.id }),
      };
      if (isFailed) log.info(details, "a request failed");
      else if (durationMs >= SLOW_MS) log.info(details, "a request was slow");
      else log.debug(details, "a request");
    };
  };
}

/** In seconds: a card takes 0.1 ms, a query times out after 5 s, a webhook's test after 10. */
const BUCKETS = [
  ...[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025],
  ...[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
];

interface Series {
  labels: Record<string, string>;
  /** By bucket; the last one is of what is above all bounds. */
  counts: number[];
  sum: number;
}

/**
 * A histogram of durations, which appears in the registry with the labels that have any. The library's own
 * makes a text of a bound for each value that it counts: a sixth of a kept page's time.
 * @returns makes a series, to which durations in seconds are added
 */
function createDurations(registry: Registry, { name, help }: Record<"name" | "help", string>) {
  const all: Series[] = [];
  const about = { name, help, type: "histogram", aggregator: "sum" };
  const get = async () => ({
    ...about,
    values: all.flatMap((series) => valuesOf(name, series)),
  });
  registry.registerMetric({ ...about, get } as unknown as Histogram);
  return (labels: Series["labels"]) => {
    const series: Series = { labels, counts: Array(BUCKETS.length + 1).fill(0), sum: 0 };
    all.push(series);
    return (seconds: number): void => {
      const found = BUCKETS.findIndex((bound) => seconds <= bound);
      const at = found < 0 ? BUCKETS.length : found;
      series.counts[at] = (series.counts[at] ?? 0) + 1;
      series.sum += seconds;
    };
  };
}

function valuesOf(name: string, { labels, counts, sum }: Series) {
  let count = 0;
  const buckets = counts.map((more, at) => {
    count += more;
    const le = BUCKETS[at] ?? "+Inf";
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  if (count === 0) return [];
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
