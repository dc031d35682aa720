import type { Visit } from "../../visit/visit.ts";

/** The token of a link: in the form once it was submitted, before in the address; empty if there is none. */
export function tokenOf({ form, query }: Visit): string {
  return form.get("token") || (query.get("token") ?? "");
}
