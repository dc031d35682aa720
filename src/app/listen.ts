import type { Config } from "../config.ts";
import type { Server } from "../doors/http/server.ts";
import { REQUEST_BYTES_MAX } from "../doors/site/forms/read-multipart.ts";
import { AppError } from "../errors.ts";
import { message } from "../values/messages/messages.ts";

/**
 * A connection may say nothing for so long, and a request take so long, however many bytes of its
 * body come: a test of a webhook takes up to 10 seconds.
 */
const IDLE_MAX_S = 30;

/** @returns the port. @throws AppError `unavailable` naming the place that cannot be listened on */
export function listen(server: Server, { host, port }: Config): number {
  try {
    server.listen({
      hostname: host,
      port,
      // Two processes would share the port, and each answer some of the requests.
      reusePort: false,
      development: false,
      idleTimeout: IDLE_MAX_S,
      // Each route has a limit of its own; a body that it does not read is not kept either.
      maxRequestBodySize: REQUEST_BYTES_MAX,
    });
  } catch (cause) {
    const said = message("cannotListen", { place: `${host}:${port}`, reason: reasonOf(cause) });
    throw new AppError("unavailable", said, { cause });
  }
  return server.server?.port ?? port;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/[.\s]+$/, "") : String(cause);
}
