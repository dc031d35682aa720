import { useVisit } from "./use-visit.ts";
import type { Visit } from "./visit.ts";

/** Address of one of our paths as the visitor sees it: a proxy may have removed a prefix. */
export function asset(
  path: string,
  { ownAddress }: Pick<Visit, "ownAddress"> = useVisit(),
): string {
  return `${new URL(ownAddress).pathname.replace(/\/$/, "")}${path}`;
}
