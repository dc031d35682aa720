/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { Resource } from "../../../verbs/operator/resource.ts";
import type { Parameter } from "../../../verbs/parameters.ts";
import { useVisit } from "../visit/use-visit.ts";
import { CheckField, Form, SelectField, TextField } from "./form.tsx";

interface Props {
  resource: Resource;
  verb: string;
  /** The action, if the page has several forms of the verb. */
  action?: string;
  /** Text of the button. */
  submit: string;
  danger?: boolean;
  once?: boolean;
  className?: string;
  /** Labels and hints that differ from those of all forms. */
  words?: object;
  /** Initial values by the arguments' names. */
  values?: object;
  children?: Child;
}

/** The form of a verb, with a field for each of its arguments. */
export function VerbForm({ resource, verb, submit, danger, children, words, ...form }: Props) {
  const args = resource.verbs.find(({ name }) => name === verb)?.args ?? {};
  const known = useVisit().words.resources;
  return (
    <Form action={verb} words={{ ...known, ...words }} {...form}>
      {children}
      {Object.entries<Parameter<unknown>>(args).map(([name, parameter]) => (
        <ArgumentField name={name} parameter={parameter} />
      ))}
      <button type="submit" class={danger ? "danger" : undefined}>
        {submit}
      </button>
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
  const { planNames, roles } = useVisit().words;
  const options = schema["enum"] as readonly string[] | undefined;
  if (options !== undefined)
    return <SelectField name={name} options={options} names={{ ...planNames, ...roles }} />;
  if (schema["type"] === "boolean") return <CheckField name={name} />;
  const type = schema["format"] === "date" ? "date" : "text";
  return <TextField name={name} type={type} required={required} />;
}
