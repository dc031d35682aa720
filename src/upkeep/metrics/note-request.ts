import { Counter, Histogram, type Registry } from "prom-client";
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

/** In seconds: a card takes 0.1 ms, a query times out after 5 s, a webhook's test after 10. */
const BUCKETS = [
  ...[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025],
  ...[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
];
/** Requests that take this long are logged. */
const SLOW_MS = 1_000;

/**
 * Requests that an operation collects before it hands them to the metrics, unless these are read earlier.
 */
const NOTED_MAX = 1_000;

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
  /** One function for each operation, which hands its collected requests to the metrics. */
  const handOvers: (() => void)[] = [];
  const collect = (): void => {
    for (const handOver of handOvers) handOver();
  };
  const requests = new Counter({
    name: "kanalog_requests_total",
    help: "Requests answered, by door, operation and status.",
    labelNames: ["door", "operation", "status"],
    registers,
    // Covers the durations too, which are read right after it.
    collect,
  });
  const durations = new Histogram({
    name: "kanalog_request_duration_seconds",
    help: "From the routed request to its answer.",
    labelNames: ["door", "operation"],
    buckets: BUCKETS,
    registers,
  });
  return (door, operation): NoteRequest => {
    const duration = durations.labels(door, operation);
    const counts = new Map<number, number>();
    const seconds: number[] = [];
    const handOver = (): void => {
      for (const taken of seconds) duration.observe(taken);
      seconds.length = 0;
      for (const [status, count] of counts) requests.inc({ door, operation, status }, count);
      counts.clear();
    };
    handOvers.push(handOver);
    return (status, startedMs, requestId, caller) => {
      const durationMs = clock.monotonic() - startedMs;
      // Handed over in batches: one by one they would take a sixth of a card's time.
      seconds.push(durationMs / 1000);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      if (seconds.length >= NOTED_MAX) handOver();
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
