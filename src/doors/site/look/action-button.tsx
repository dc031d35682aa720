/** @jsxImportSource hono/jsx */
import type { Member, MemberRole } from "../../../customers/accounts/accounts.table.ts";
import { parseNumber } from "../../../values/fields.ts";
import { useVisit } from "../visit/visit.ts";
import { Faults, Form, isSent, TextField } from "./form.tsx";

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

/** Changes a member's role in a row. @param roles those that may be given */
export function RoleForm({ member, roles }: { member: Member; roles: readonly MemberRole[] }) {
  const { form, words } = useVisit();
  const isSent = form.get("action") === "role" && form.get("member") === String(member.id);
  const chosen = isSent ? form.get("role") : member.role;
  return (
    <Form showsFaults={false} action="role">
      <input type="hidden" name="member" value={member.id} />
      <span class="row">
        <select name="role" aria-label={`${words.roleOf} ${member.name || member.email}`}>
          {roles.map((role) => (
            <option value={role} selected={role === chosen}>
              {words.roles[role]}
            </option>
          ))}
        </select>
        <button type="submit" class="plain">
          {words.change}
        </button>
      </span>
    </Form>
  );
}

/** Fields of forms about a person's own account, marked up so that password managers recognize them. */

export function EmailField() {
  const field = { name: "email", label: useVisit().words.email };
  return <TextField {...field} type="email" autocomplete="username" />;
}

export function NewPasswordField({
  name = "password",
  label = useVisit().words.newPassword,
}: {
  name?: string;
  label?: string;
}) {
  const field = { name, label, hint: useVisit().words.choosePasswordHint };
  return <TextField {...field} type="password" autocomplete="new-password" />;
}
