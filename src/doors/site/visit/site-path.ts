import type { Visit } from "./visit.ts";

/** The address of a path of ours as the visitor sees it: a proxy may have taken a prefix off. */
export function asset({ ownAddress }: Pick<Visit, "ownAddress">, path: string): string {
  return `${new URL(ownAddress).pathname.replace(/\/$/, "")}${path}`;
}
