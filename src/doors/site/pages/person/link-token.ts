import { useVisit } from "../../visit/use-visit.ts";

/** The token of a link: in the form once it was submitted, before in the address; empty if there is none. */
export function linkToken(): string {
  const { form, query } = useVisit();
  return form.get("token") || (query.get("token") ?? "");
}
