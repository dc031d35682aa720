/**
 * Notes that a request was answered.
 * @param startedMs of the clock's monotonic time
 * @param caller null where nobody showed a good key
 */
export type NoteRequest = (
  status: number,
  startedMs: number,
  requestId: string,
  caller: { organization: { id: number }; key: { id: number } } | null,
) => void;

/** Asked once for each operation of a door; all operations are of a fixed set. */
export type NoteRequests = (
  door: "rest" | "mcp" | "site" | "public",
  operation: string,
) => NoteRequest;

/** Stands for an operation in redirects and at addresses that do not exist. */
export const OTHER = "other";

/** A handler of requests without a key, whose answers are noted. */
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
