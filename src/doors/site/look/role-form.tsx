/** @jsxImportSource hono/jsx */
import type { Member, MemberRole } from "../../../customers/accounts/accounts.table.ts";
import { useVisit } from "../visit/use-visit.ts";
import { Form, TextField } from "./form.tsx";

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

/** @jsxImportSource hono/jsx */

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
