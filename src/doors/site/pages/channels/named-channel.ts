import { notFound } from "../../../../errors.ts";
import { useVisit } from "../../visit/use-visit.ts";

/** Number or handle in a channel's address. @throws AppError `not_found` if it cannot be decoded, as `%FF` */
export function namedChannel(): string {
  const { params } = useVisit();
  const channel = params["id"] ?? "";
  if (channel === "") throw notFound("channel");
  return channel;
}
