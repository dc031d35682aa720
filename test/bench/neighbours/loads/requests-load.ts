import { type SentRequest, send } from "../requests.ts";
import { type Note, pause, SENT_MAX } from "./pace.ts";

const DELETED_MAX_MS = 5_000;

/** Requests sent in turn; each connection waits for its answer. */
export interface RequestsLoad {
  kind: "requests";
  address: string;
  requests: readonly SentRequest[];
  connections: number;
  /** By default as fast as they are answered. */
  perSecond?: number;
}

/** Sends the requests over all connections until the load is over. */
export async function sendRequests(
  load: RequestsLoad,
  note: Note,
  over: AbortSignal,
): Promise<void> {
  const connections = Array.from({ length: load.connections }, (_, at) => at);
  await Promise.all(connections.map((at) => ask(load, at, note, over)));
}

async function ask(
  { address, requests, connections, perSecond }: RequestsLoad,
  first: number,
  note: Note,
  over: AbortSignal,
): Promise<void> {
  const startedAtMs = performance.now();
  for (let sent = first; sent < SENT_MAX && !over.aborted; sent += connections) {
    if (perSecond !== undefined) {
      await pause(startedAtMs + (sent * 1000) / perSecond - performance.now(), over);
    }
    const request = requests[sent % requests.length];
    if (request === undefined || over.aborted) return;
    note(await outcomeOf(address, request, over));
  }
}

async function outcomeOf(
  address: string,
  request: SentRequest,
  over: AbortSignal,
): Promise<string | number> {
  try {
    const { status, text } = await send(address, request, over);
    if (request.isUndone && status === 201) await deleteMade(address, request, text);
    return status;
  } catch {
    return over.aborted ? "under way" : "ended";
  }
}

/** Not ended with the load, because what it leaves behind would count against the plan's limits in the next round. */
async function deleteMade(
  address: string,
  { path, headers }: SentRequest,
  made: string,
): Promise<void> {
  const own = `${path}${(JSON.parse(made) as { id: number }).id}/`;
  await send(address, { verb: "DELETE", path: own, headers }, AbortSignal.timeout(DELETED_MAX_MS));
}
