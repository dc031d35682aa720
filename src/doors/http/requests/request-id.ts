import type { Clock } from "../../../ports/clock.ts";
import type { Random } from "../../../ports/random.ts";

export const REQUEST_ID = "x-request-id";

const ACCEPTED = /^[\w.-]{1,64}$/;

/** The caller's request id if it is well-formed, else a new UUIDv7. */
export function requestIdOf(request: Request, random: Random, clock: Clock): string {
  const given = request.headers.get(REQUEST_ID);
  return given !== null && ACCEPTED.test(given) ? given : random.uuid(clock.now());
}
