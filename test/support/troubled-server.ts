/** A server on this machine that a test gives trouble. */
export interface TroubledServer {
  url: string;
  /** Requests so far. */
  requests: number;
  /** So many of the next answers end in their middle; what was asked is done. */
  hangUps: number;
  /** Requests that came while another one was under way. */
  overlaps: number;
  /** Holds all answers up. @returns what lets them go */
  hold(): () => void;
  stop(): Promise<void>;
}

/** @param answer gets one request at a time from each that asks */
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
