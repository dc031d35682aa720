import { connect, type Socket } from "node:net";
import { type Note, pause, SENT_MAX } from "./pace.ts";

/** Raw connections that send a head and part of a body, and then nothing more. */
export interface ConnectionsLoad {
  kind: "connections";
  address: string;
  connections: number;
  /** Lines of the head; none to send nothing at all. */
  head: readonly string[];
  /** Start of the body, and how many bytes of it follow. */
  body: { start: string; moreBytes: number };
  /** Sent at the end of the load to get an answer; if empty, the connection is closed instead. */
  ending: string;
  /** Whether a connection that has ended is opened again. */
  isRepeated: boolean;
}

/** Pause before a connection is opened again. */
const PACE_MS = 250;
const ANSWER_MAX_MS = 15_000;
const CHUNK = Buffer.alloc(64 * 1024, "a");

/** Opens the connections and keeps them until the load is over. */
export async function holdConnections(
  load: ConnectionsLoad,
  note: Note,
  over: AbortSignal,
): Promise<void> {
  const connections = Array.from({ length: load.connections }, (_, at) => at);
  await Promise.all(connections.map((at) => hold(load, at, note, over)));
}

async function hold(
  load: ConnectionsLoad,
  at: number,
  note: Note,
  over: AbortSignal,
): Promise<void> {
  // Not all at once, because the listener's backlog holds some hundreds.
  await pause(at, over);
  for (let times = 0; times < SENT_MAX && !over.aborted; times++) {
    note(await holdOne(load, over));
    if (!load.isRepeated) return;
    await pause(PACE_MS, over);
  }
}

/** @returns the status of the answer, or how the connection ended */
function holdOne(
  { address, head, body, ending }: ConnectionsLoad,
  over: AbortSignal,
): Promise<string> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port) });
  return new Promise((resolve) => {
    let isConnected = false;
    const end = (how: string) => () => {
      over.removeEventListener("abort", stop);
      socket.destroy();
      resolve(how);
    };
    const cutOff = end("held");
    const stop = (): void => {
      if (ending === "" || !isConnected) cutOff();
      else {
        socket.write(ending);
        socket.setTimeout(ANSWER_MAX_MS, end("unanswered"));
      }
    };
    over.addEventListener("abort", stop);
    socket.on("connect", () => {
      isConnected = true;
      if (head.length > 0) {
        socket.write(`${head.join("\r\n")}\r\n\r\n${body.start}`);
        pour(socket, body.moreBytes);
      }
    });
    socket.on("data", (bytes: Buffer) => end(bytes.toString("latin1").slice(9, 12))());
    socket.on("close", () => end(isConnected ? "ended" : "refused")());
    socket.on("error", () => {});
    if (over.aborted) stop();
  });
}

function pour(socket: Socket, bytes: number): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      const chunk = CHUNK.subarray(0, Math.min(left, CHUNK.length));
      left -= chunk.length;
      if (!socket.write(chunk)) {
        socket.once("drain", more);
        return;
      }
    }
  };
  more();
}
