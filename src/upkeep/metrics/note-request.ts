import { Counter, type Registry } from "prom-client";
import type { Ports } from "../../ports/ports.ts";
import { createDurations } from "./durations.ts";

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
  /** One function for each operation, which hands its counts to the metrics once they are read. */
  const handOvers: (() => void)[] = [];
  const collect = (): void => {
    for (const handOver of handOvers) handOver();
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
    const handOver = (): void => {
      for (const [status, count] of counts) requests.inc({ door, operation, status }, count);
      counts.clear();
    };
    handOvers.push(handOver);
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
