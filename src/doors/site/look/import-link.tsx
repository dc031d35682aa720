/** @jsxImportSource hono/jsx */
import { asset } from "../visit/site-path.ts";
import { useVisit } from "../visit/use-visit.ts";

/** Leads staff from a page without channels to the imports. */
export function ImportLink() {
  const visit = useVisit();
  return <a href={asset("/staff/imports/")}>{visit.words.firstSteps.import.link}</a>;
}
