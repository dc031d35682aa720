/** @jsxImportSource hono/jsx */
import { useVisit } from "../visit/use-visit.ts";
import { TextField } from "./form.tsx";

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
