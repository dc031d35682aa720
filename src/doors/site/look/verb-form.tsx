/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { Resource } from "../../../verbs/operator/resource.ts";
import type { Parameter } from "../../../verbs/parameters.ts";
import { verbOf } from "../forms/verb-action.ts";
import { useVisit } from "../visit/visit.ts";
import { CheckField, Form, SelectField, TextAreaField, TextField } from "./form.tsx";
import { choiceNames } from "./resource-list.tsx";

interface FieldsProps {
  resource: Resource;
  verb: string;
  /** The arguments to ask for, if not all. */
  fields?: readonly string[] | undefined;
  /** Choices of arguments that are read from the database. */
  options?: Readonly<Record<string, Options>> | undefined;
}

type Options = readonly { value: string; label: string }[];

interface Props extends FieldsProps {
  /** The action, if the page has several forms of the verb. */
  action?: string;
  submit: string;
  danger?: boolean;
  once?: boolean;
  className?: string;
  /** Labels and hints that differ from those of all forms. */
  words?: object;
  /** Initial values by the arguments' names. */
  values?: object;
  /** Before the fields. */
  children?: Child;
  /** After them. */
  more?: Child;
}

/** The form of a verb, with a field for each of its arguments. */
export function VerbForm({ children, more, submit, danger, words, ...props }: Props) {
  const { resource, verb, fields, options, ...form } = props;
  return (
    <Form action={verb} words={{ ...useVisit().words.fields, ...words }} {...form}>
      {children}
      <VerbFields {...{ resource, verb, fields, options }} />
      {more}
      <button type="submit" class={danger ? "danger" : undefined}>
        {submit}
      </button>
    </Form>
  );
}

/** Fields of a verb's arguments, within a form. */
export function VerbFields({ resource, verb, fields, options = {} }: FieldsProps) {
  const { args } = verbOf(resource, verb);
  return (
    <>
      {(fields ?? Object.keys(args)).map((name) => (
        <ArgumentField name={name} parameter={args[name]} given={options[name]} />
      ))}
    </>
  );
}

function ArgumentField({
  name,
  parameter,
  given,
}: {
  name: string;
  parameter: Parameter<unknown>;
  given: Options | undefined;
}) {
  const { schema, required, default: fallback } = parameter;
  const initial = fallback === undefined ? {} : { value: String(fallback) };
  const options = given ?? (schema["enum"] as readonly string[] | undefined);
  if (options !== undefined) {
    const none = required || fallback !== undefined ? [] : [{ value: "", label: "—" }];
    const all = [...none, ...options];
    return <SelectField {...{ name, ...initial }} options={all} names={choiceNames()} />;
  }
  if (schema["type"] === "boolean") return <CheckField name={name} />;
  if (parameter.isLines) return <TextAreaField name={name} rows={6} required={false} />;
  const type = schema["format"] === "date" ? "date" : "text";
  return <TextField {...{ name, type, required, ...initial }} />;
}
