import { isIP } from "node:net";
import type { Config } from "../config.ts";
import type { Server } from "../doors/http/server.ts";
import { REQUEST_BYTES_MAX } from "../doors/site/forms/read-form.ts";
import { AppError } from "../errors.ts";
import { limitUnsentBytes } from "../ports/system-calls.ts";
import { type Message, message } from "../values/messages/messages.ts";

/**
 * Limit for an idle connection and for a whole request, even while its body keeps arriving. Testing a
 * webhook may take 10 seconds.
 */
const IDLE_MAX_S = 30;
/** Bytes of an answer that may wait in the system for a client that does not read. */
const UNSENT_BYTES_MAX = 16 * 1024;

/**
 * Starts listening.
 * @param isShared whether other workers of this appliance listen on the same port
 * @returns the port
 * @throws AppError `unavailable` naming the address that cannot be listened on
 */
export function listen(server: Server, { host, port }: Config, isShared: boolean): number {
  try {
    server.listen({
      hostname: host,
      port,
      // Only for workers: otherwise two separate appliances could share the port and split the requests.
      reusePort: isShared,
      development: false,
      idleTimeout: IDLE_MAX_S,
      // Routes have lower limits of their own; a body that no route reads is not buffered.
      maxRequestBodySize: REQUEST_BYTES_MAX,
    });
  } catch (cause) {
    throw cannotListen(host, port, cause);
  }
  limitUnsentBytes(UNSENT_BYTES_MAX);
  return server.server?.port ?? port;
}

/**
 * Checks that a port is free before anything is created. Once a worker listens with `reusePort`, other
 * processes of the same user could join it unnoticed.
 * @returns the port; a free one for 0
 * @throws AppError `unavailable` as `listen`
 */
export function claimPort({ host, port }: Pick<Config, "host" | "port">): number {
  try {
    return listenOnce(host, port);
  } catch (cause) {
    throw cannotListen(host, port, cause);
  }
}

/** Listens and closes at once, since a server left open would block the workers. @returns the port */
function listenOnce(host: string, port: number): number {
  // Only `Bun.serve` accepts an IPv6 address in brackets.
  const hostname = host.replace(/^\[(.*)\]$/, "$1");
  const listener = Bun.listen({ hostname, port, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

function cannotListen(host: string, port: number, cause: unknown): AppError {
  return new AppError("unavailable", whyNotListening(host, port, cause), { cause });
}

/** System error codes for an address that belongs to another machine or to none. */
const NOT_HERE = ["EADDRNOTAVAIL", "EINVAL", "ENOTFOUND"];
/** Lower ports need administrator rights. */
const FREE_PORT_MIN = 1024;

function whyNotListening(host: string, port: number, cause: unknown): Message {
  const place = `${host}:${port}`;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  // If the host is not an address at all, Bun's error has no code, or one of an earlier call.
  if (NOT_HERE.includes(code) || (code === "" && isIP(host) === 0))
    return message("hostNotHere", { place, host });
  if (code === "EACCES" && port < FREE_PORT_MIN) return message("portNeedsRight", { place });
  const free = code === "EADDRINUSE" ? nextFreePort(host, port) : null;
  return free === null
    ? message("cannotListen", { place, reason: reasonOf(cause) })
    : message("portTaken", { place, free });
}

const PORTS_TRIED = 20;

function nextFreePort(hostname: string, taken: number): number | null {
  for (let port = taken + 1; port <= Math.min(taken + PORTS_TRIED, 65_535); port++) {
    try {
      return listenOnce(hostname, port);
    } catch {
      // This port is taken too.
    }
  }
  return null;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/[.\s]+$/, "") : String(cause);
}
