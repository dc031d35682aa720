/**
 * Clients in a separate process (on one core if `taskset` is installed), each with its own connection, which
 * send the next request once they have an answer: `bun load.ts ORDER`, with the order as JSON. Prints the results
 * as JSON when the time is over or on SIGTERM.
 */
import { percentile } from "../peers/statistics.ts";

export interface Order {
  address: string;
  key: string;
  /** Requested in turn. */
  paths: readonly string[];
  connections: number;
  /** Null: until it is stopped. */
  seconds: number | null;
  /** Pause between an answer and the next request. */
  pauseMs: number;
}

export interface Seen {
  answers: number;
  /** Answers other than 200, by status. */
  others: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
}

export interface Load {
  /** Settles when the load has ended. */
  seen: Promise<Seen>;
  stop(): void;
}

export function startLoad(order: Order): Load {
  const bound = Bun.which("taskset") === null ? [] : ["taskset", "-c", "0"];
  const words = [...bound, process.execPath, import.meta.path, JSON.stringify(order)];
  const child = Bun.spawn(words, { stdout: "pipe", stderr: "inherit" });
  return {
    seen: child.stdout.text().then((text) => JSON.parse(text) as Seen),
    stop: () => child.kill("SIGTERM"),
  };
}

const LAST_CHUNK = Buffer.from("0\r\n\r\n");

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? "") as Order);

async function run({ address, key, paths, connections, seconds, pauseMs }: Order): Promise<void> {
  const { hostname, port } = new URL(address);
  const requests = paths.map((path) =>
    Buffer.from(
      `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n\r\n`,
    ),
  );
  const durations: number[] = [];
  const others: Record<string, number> = {};
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  process.on("SIGTERM", end);
  if (seconds !== null) setTimeout(end, seconds * 1000);

  for (let client = 0; client < connections; client++) {
    let at = client;
    let sentMs = 0;
    /** Bytes of the answer still to come, infinite if it has no Content-Length; null before an answer. */
    let left: number | null = null;
    const send = (socket: Bun.Socket): void => {
      at += 1;
      sentMs = performance.now();
      socket.write(requests[at % requests.length] as Buffer);
    };
    await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: send,
        data(socket, chunk) {
          left = left === null ? leftAfter(chunk, others) : left - chunk.length;
          if (left > 0 && !(left === Number.POSITIVE_INFINITY && isLastOfChunks(chunk))) return;
          left = null;
          durations.push(performance.now() - sentMs);
          if (pauseMs > 0) setTimeout(send, pauseMs, socket);
          else send(socket);
        },
      },
    });
  }
  await over;
  const seen: Seen = {
    answers: durations.length,
    others,
    p50Ms: percentile(durations, 0.5),
    p99Ms: percentile(durations, 0.99),
  };
  console.log(JSON.stringify(seen));
  process.exit();
}

/** Bytes of an answer after its first chunk. @param others counts of other statuses, to which it is added */
function leftAfter(chunk: Buffer, others: Record<string, number>): number {
  const head = chunk.toString("latin1", 0, Math.max(0, chunk.indexOf("\r\n\r\n")));
  const status = head.slice(9, 12);
  if (status !== "200") others[status] = (others[status] ?? 0) + 1;
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length === undefined) return Number.POSITIVE_INFINITY;
  return head.length + 4 + Number(length) - chunk.length;
}

function isLastOfChunks(chunk: Buffer): boolean {
  return chunk.subarray(-5).equals(LAST_CHUNK);
}
