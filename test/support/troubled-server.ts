/** A server on this machine that a test can disturb. */
export interface TroubledServer {
  url: string;
  /** Number of requests so far. */
  requests: number;
  /** Number of the next answers that break off in the middle; their requests are carried out. */
  hangUps: number;
  /** Number of requests that arrived while another one was in progress. */
  overlaps: number;
  /** Holds all answers back. @returns a function that releases them */
  hold(): () => void;
  stop(): Promise<void>;
}

/** @param answer expects one request at a time from each client */
export function serveTroubled(
  answer: (request: Request) => Response | Promise<Response>,
): TroubledServer {
  const underWay = new Set<Request>();
  let gate: Promise<void> | null = null;

  async function answered(request: Request): Promise<Response> {
    troubled.requests += 1;
    if ([...underWay].some(({ signal }) => !signal.aborted)) troubled.overlaps += 1;
    underWay.add(request);
    try {
      await gate;
      const given = await answer(request);
      if (troubled.hangUps === 0) return given;
      troubled.hangUps -= 1;
      const body = await given.bytes();
      const { status, headers } = given;
      return new Response(body.subarray(0, body.length / 2), { status, headers });
    } finally {
      underWay.delete(request);
    }
  }

  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 120 },
    fetch: answered,
  });
  const troubled: TroubledServer = {
    ...{ url: `http://127.0.0.1:${server.port}`, requests: 0, hangUps: 0, overlaps: 0 },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return () => {
        gate = null;
        resolve();
      };
    },
    stop: () => server.stop(true),
  };
  return troubled;
}
