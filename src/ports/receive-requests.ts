import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";

/**
 * Receives HTTP requests at a port of this machine's loopback address.
 * @param onRequest returns the status to answer with; a redirect leads to the same address
 * @returns stops it
 */
export async function receiveRequests(
  port: number,
  onRequest: (request: { headers: IncomingHttpHeaders; body: string }) => number,
): Promise<() => void> {
  const server = createServer(async (request, response) => {
    const status = onRequest({ headers: request.headers, body: await text(request) });
    response.writeHead(status, { location: request.url ?? "/" }).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
