/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { parseNumber } from "../../../values/parse-number.ts";
import { EMPTY_FORM, type Visit } from "../visit/visit.ts";
import { Faults } from "./form.tsx";

/**
 * Shows once, above a table, what went wrong with the form of one of its rows; all of them have the same
 * action, so each would show it.
 */
export function RowFaults({
  visit,
  actions,
}: {
  visit: Visit;
  actions: readonly string[];
}): JSX.Element | null {
  const messages = Object.values(visit.faults).flat();
  if (messages.length === 0 || !actions.includes(visit.form.get("action"))) return null;
  return <Faults messages={messages} />;
}

/** The visit without its submitted form, for rows' forms: they must not repeat what `RowFaults` shows. */
export function withoutForm(visit: Visit): Visit {
  return { ...visit, form: EMPTY_FORM, faults: {} };
}

/** The number that a row's form sent; for any other text -1, which no row has. */
export function sentNumber({ form }: Visit, name: string): number {
  return parseNumber(form.get(name)) ?? -1;
}
