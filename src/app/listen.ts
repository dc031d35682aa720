import { isIP } from "node:net";
import type { Config } from "../config.ts";
import type { Server } from "../doors/http/server.ts";
import { REQUEST_BYTES_MAX } from "../doors/site/forms/read-multipart.ts";
import { AppError } from "../errors.ts";
import { type Message, message } from "../values/messages/messages.ts";

/**
 * A connection may say nothing for so long, and a request take so long, however many bytes of its
 * body come: a test of a webhook takes up to 10 seconds.
 */
const IDLE_MAX_S = 30;

/**
 * @param isShared whether workers of this appliance listen on the same port
 * @returns the port
 * @throws AppError `unavailable` naming the place that cannot be listened on
 */
export function listen(server: Server, { host, port }: Config, isShared: boolean): number {
  try {
    server.listen({
      hostname: host,
      port,
      // Two appliances would share the port, and each answer some of the requests.
      reusePort: isShared,
      development: false,
      idleTimeout: IDLE_MAX_S,
      // Each route has a limit of its own; a body that it does not read is not kept either.
      maxRequestBodySize: REQUEST_BYTES_MAX,
    });
  } catch (cause) {
    throw cannotListen(host, port, cause);
  }
  return server.server?.port ?? port;
}

/**
 * Looks whether a port can be listened on, before anything is made: once a worker listens, others of the
 * same user may share it unasked.
 * @returns the port, a free one for 0
 * @throws AppError `unavailable` as `listen`
 */
export function claimPort({ host, port }: Pick<Config, "host" | "port">): number {
  try {
    return listenOnce(host, port);
  } catch (cause) {
    throw cannotListen(host, port, cause);
  }
}

/** Listens, and ends it at once; a server would keep its port from workers. @returns the port */
function listenOnce(host: string, port: number): number {
  // Only a server takes the brackets of an IPv6 address.
  const hostname = host.replace(/^\[(.*)\]$/, "$1");
  const listener = Bun.listen({ hostname, port, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

function cannotListen(host: string, port: number, cause: unknown): AppError {
  return new AppError("unavailable", whyNotListening(host, port, cause), { cause });
}

/** The system's codes for an address that is another machine's, or none. */
const NOT_HERE = ["EADDRNOTAVAIL", "EINVAL", "ENOTFOUND"];
/** Below it, ports are the administrator's. */
const FREE_PORT_MIN = 1024;

function whyNotListening(host: string, port: number, cause: unknown): Message {
  const place = `${host}:${port}`;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  // A name or number that is no address has no code, or the one of an earlier call.
  if (NOT_HERE.includes(code) || (code === "" && isIP(host) === 0))
    return message("hostNotHere", { place, host });
  if (code === "EACCES" && port < FREE_PORT_MIN) return message("portNeedsRight", { place });
  const free = code === "EADDRINUSE" ? nextFreePort(host, port) : null;
  return free === null
    ? message("cannotListen", { place, reason: reasonOf(cause) })
    : message("portTaken", { place, free });
}

const PORTS_TRIED = 20;

/** The next port that nobody listens on; null where none of the next ones is free. */
function nextFreePort(hostname: string, taken: number): number | null {
  for (let port = taken + 1; port <= Math.min(taken + PORTS_TRIED, 65_535); port++) {
    try {
      return listenOnce(hostname, port);
    } catch {
      // The port is taken too.
    }
  }
  return null;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/[.\s]+$/, "") : String(cause);
}
