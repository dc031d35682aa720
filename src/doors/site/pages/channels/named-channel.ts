import { notFound } from "../../../../errors.ts";
import type { Visit } from "../../visit/visit.ts";

/** Number or handle in a channel's address. @throws AppError `not_found` if it cannot be decoded, as `%FF` */
export function namedChannel({ params }: Visit): string {
  const channel = params["id"] ?? "";
  if (channel === "") throw notFound("channel");
  return channel;
}
