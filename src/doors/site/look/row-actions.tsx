/** @jsxImportSource hono/jsx */
import { parseNumber } from "../../../values/parse-number.ts";
import { useVisit } from "../visit/use-visit.ts";
import { Faults } from "./form.tsx";

/**
 * Shows once, above a table, what went wrong with the form of one of its rows; all of them have the same
 * action, so each would show it.
 */
export function RowFaults({ actions }: { actions: readonly string[] }) {
  const visit = useVisit();
  const messages = Object.values(visit.faults).flat();
  if (messages.length === 0 || !actions.includes(visit.form.get("action"))) return null;
  return <Faults messages={messages} />;
}

/** The number that a row's form sent; for any other text -1, which no row has. */
export function sentNumber(name: string): number {
  return parseNumber(useVisit().form.get(name)) ?? -1;
}
