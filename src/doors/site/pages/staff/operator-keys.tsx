/** @jsxImportSource hono/jsx */
import { operatorKeys } from "../../../../verbs/operator/operator-keys.ts";
import type { Resource } from "../../../../verbs/operator/resource.ts";
import type { Parameter } from "../../../../verbs/parameters.ts";
import { verbAction } from "../../forms/verb-action.ts";
import { RowFaults, sentNumber } from "../../look/action-button.tsx";
import { CheckField, Form, SelectField, TextField } from "../../look/form.tsx";
import { Snippet } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { asset, page, redirect } from "../../visit/view.ts";
import { KeyTable } from "../organization/key-table.tsx";
import { consolePage } from "./console.tsx";

const PATH = "/staff/keys/";

/** `/staff/keys/`: keys of the operator's API. */
export const operatorKeysPage: SitePage = {
  path: PATH,
  access: "staff",
  async show(visit, context) {
    const words = visit.words.operatorKeysPage;
    const keys = await context.operatorKeys.list();
    return consolePage(
      words.title,
      <>
        <p>
          {words.text} <a href={asset("/docs/operator/")}>{words.documentation}</a>
        </p>
        <RowFaults actions={["revoke"]} />
        {keys.length > 0 && (
          <KeyTable
            label={words.title}
            keys={keys}
            accessOf={({ can }) => <code>{can.join(" ")}</code>}
          />
        )}
        <h2>{words.create}</h2>
        <VerbForm resource={operatorKeys} verb="create" label={words.create} once />
      </>,
    );
  },
  actions: {
    // The key is only shown in this answer: a redirect would leave it in the browser's history.
    create: verbAction(operatorKeys, "create", (made) => {
      const visit = useVisit();
      const words = visit.words.operatorKeysPage;
      return page(
        words.made,
        <>
          <p>{words.madeText}</p>
          <Snippet text={String(made["key"])} label={words.key} />
          <Snippet
            text={`curl -H "Authorization: Bearer ${made["key"]}" "${visit.ownAddress}/operator/v1/organizations/"`}
            label="curl"
          />
          <p>
            <a href={asset(PATH)}>{words.title}</a>
          </p>
        </>,
      );
    }),
    revoke: verbAction(
      operatorKeys,
      "revoke",
      () => redirect(`${PATH}?done=revoked`),
      () => sentNumber("key"),
    ),
  },
};

/** @jsxImportSource hono/jsx */

interface Props {
  resource: Resource;
  verb: string;
  label: string;
  once?: boolean;
}

/** The form of a verb, with a field for each of its arguments. */
function VerbForm({ resource, verb, label, once = false }: Props) {
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
