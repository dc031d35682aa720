/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { asset } from "../visit/site-path.ts";
import type { Visit } from "../visit/visit.ts";

/** Leads staff from a page without channels to the imports. */
export function ImportLink({ visit }: { visit: Visit }): JSX.Element {
  return <a href={asset(visit, "/staff/imports/")}>{visit.words.firstSteps.import.link}</a>;
}
