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
