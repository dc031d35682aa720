/** @jsxImportSource hono/jsx */
import type { Resource } from "../../../verbs/operator/resource.ts";
import type { Parameter } from "../../../verbs/parameters.ts";
import { useVisit } from "../visit/use-visit.ts";
import { CheckField, Form, SelectField, TextField } from "./form.tsx";

interface Props {
  resource: Resource;
  verb: string;
  label: string;
  once?: boolean;
}

/** The form of a verb, with a field for each of its arguments. */
export function VerbForm({ resource, verb, label, once = false }: Props) {
  const args = resource.verbs.find(({ name }) => name === verb)?.args ?? {};
  return (
    <Form action={verb} once={once}>
      {Object.entries<Parameter<unknown>>(args).map(([name, parameter]) => (
        <ArgumentField name={name} parameter={parameter} />
      ))}
      <button type="submit">{label}</button>
    </Form>
  );
}

function ArgumentField({
  name,
  parameter: { schema, required },
}: {
  name: string;
  parameter: Parameter<unknown>;
}) {
  const { labels, hints, choices } = useVisit().words.resources;
  const hint = hints[name];
  const field = {
    name,
    label: labels[name] ?? name,
    ...(hint !== undefined && { hint }),
  };
  const options = schema["enum"] as readonly string[] | undefined;
  if (options !== undefined) {
    const labelled = options.map((value) => ({ value, label: choices[value] ?? value }));
    return <SelectField {...field} options={labelled} />;
  }
  if (schema["type"] === "boolean") return <CheckField {...field} />;
  const type = schema["format"] === "date" ? "date" : "text";
  return <TextField {...field} type={type} required={required} />;
}
