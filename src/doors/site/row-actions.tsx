/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { EMPTY_FORM, type Visit } from "./visit.ts";

/**
 * Buttons of rows: many forms of one action, of which only one was sent. What went wrong is told
 * once, above them.
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
  return (
    <p class="fault" role="alert">
      {messages.join(" ")}
    </p>
  );
}

/** The visit as the rows' forms see it: none of them says what `RowFaults` says. */
export function quietly(visit: Visit): Visit {
  return { ...visit, form: EMPTY_FORM, faults: {} };
}

/** A number that a row's form sent; -1, which nothing has, for what is none. */
export function sentNumber({ form }: Visit, name: string): number {
  const text = form.get(name);
  return /^\d{1,15}$/.test(text) ? Number(text) : -1;
}
