/** @jsxImportSource hono/jsx */

import { parseNumber } from "../../../values/fields.ts";
import { useVisit } from "../visit/use-visit.ts";
import { Faults, Form, isSent } from "./form.tsx";

/** A button that is a form of its own, for an action on one row. */
export function ActionButton({
  action,
  label,
  description,
  fields = {},
  confirm,
  to,
  danger,
  inRow = false,
}: {
  action: string;
  label: string;
  /** Names the row, for screen readers. */
  description?: string;
  fields?: Record<string, string | number>;
  confirm?: string;
  to?: string;
  danger?: boolean;
  /** Whether `RowFaults` shows its faults, above the table. */
  inRow?: boolean;
}) {
  // Many rows may have the same button; only the pressed one shows the fault.
  const isPressed =
    !inRow &&
    isSent(action) &&
    Object.entries(fields).every(([name, value]) => useVisit().form.get(name) === String(value));
  const text = (
    <>
      {label}
      {description !== undefined && <span class="hidden"> {description}</span>}
    </>
  );
  const form = (
    <Form action={action} showsFaults={isPressed} {...(to !== undefined && { to })}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={danger ? "danger" : undefined}>
        {text}
      </button>
    </Form>
  );
  if (confirm === undefined) return form;
  return (
    <details class={danger ? "confirm danger" : "confirm"} open={isPressed}>
      <summary>{text}</summary>
      <p>{confirm}</p>
      {form}
    </details>
  );
}

/** @jsxImportSource hono/jsx */

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
