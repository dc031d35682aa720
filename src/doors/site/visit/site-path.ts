import type { Visit } from "./visit.ts";

/** Address of one of our paths as the visitor sees it: a proxy may have removed a prefix. */
export function asset({ ownAddress }: Pick<Visit, "ownAddress">, path: string): string {
  return `${new URL(ownAddress).pathname.replace(/\/$/, "")}${path}`;
}
