/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Visit } from "../visit/visit.ts";
import { TextField } from "./form.tsx";

/** Fields of forms about a person's own account, marked up so that password managers recognize them. */

interface Props {
  visit: Visit;
  action: string;
}

export function EmailField({ visit, action }: Props): JSX.Element {
  const field = { visit, action, name: "email", label: visit.words.email };
  return <TextField {...field} type="email" autocomplete="username" />;
}

export function NewPasswordField({
  visit,
  action,
  name = "password",
  label = visit.words.newPassword,
}: Props & { name?: string; label?: string }): JSX.Element {
  const field = { visit, action, name, label, hint: visit.words.choosePasswordHint };
  return <TextField {...field} type="password" autocomplete="new-password" />;
}
