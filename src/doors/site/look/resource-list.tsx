/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { parseNumber } from "../../../values/fields.ts";
import { parseInstant } from "../../../values/moscow-time.ts";
import { type Schema, shownPage } from "../../../values/schema.ts";
import type { Resource, Row } from "../../../verbs/operator/resource.ts";
import { isReference, positionOf } from "../../../verbs/operator/resource.ts";
import type { Parameter } from "../../../verbs/parameters.ts";
import { readArguments } from "../../../verbs/read-arguments.ts";
import { errorMessages } from "../forms/faults.ts";
import { useOf, verbOf } from "../forms/verb-action.ts";
import { withQuery } from "../pages/staff/console.tsx";
import { planName } from "../public/plan-cards.tsx";
import { orRefusal } from "../visit/look-up.ts";
import { useSite, useVisit } from "../visit/visit.ts";
import { type Column, DataTable } from "./data-table.tsx";
import { Instant, shownNumber } from "./shown.tsx";
import { type Fact, NamedLink } from "./user-text.tsx";

/** A resource's rows as tables and facts: labels and cells follow from its fields. */

type Cells = Readonly<Record<string, (row: Row) => Child>>;
type Looks = Readonly<Record<string, string>>;

interface ListProps {
  resource: Resource;
  label: string;
  /** Its fields, in the order of the columns. */
  columns: readonly string[];
  /** Classes of fields' cells, as in `Column`. */
  looks?: Looks;
  /** Cells that do not follow from the field. */
  cells?: Cells;
  /** Arguments of its list that the page gives; the others are asked for above the table. */
  given?: Readonly<Record<string, unknown>>;
  /** Buttons of a row. */
  actions?: (row: Row) => Child;
  empty?: Child;
}

const ROWS_PER_PAGE = 50;

/** The list of a resource, page by page, with its filters. */
export async function ResourceList({ resource, label, columns, given = {}, ...props }: ListProps) {
  const { language, query, words } = useVisit();
  const { args, rows: key = [] } = verbOf(resource, "list");
  const filters = Object.entries<Parameter<unknown>>(args).filter(([name]) => !(name in given));
  const found = await orRefusal(rowsOf(resource, given), "not_found");
  const isRefused = found instanceof AppError;
  const faults = isRefused ? Object.values(errorMessages(language, found)).flat() : [];
  const { actions, empty = words.staffPages.none } = props;
  const { shown, last } = isRefused ? { shown: [], last: null } : found;
  const buttons: Column<Row>[] = actions ? [[words.actions, actions]] : [];
  return (
    <>
      {filters.length > 0 && <Filters filters={filters} fault={faults.join(" ")} />}
      {!isRefused && (
        <DataTable
          label={label}
          empty={empty}
          rows={shown}
          columns={[...columnsOf(resource, columns, props), ...buttons]}
        />
      )}
      <p class="row">
        {query.get("after") && <a href={withQuery({ after: "" })}>{words.staffCatalog.first}</a>}
        {last !== null && (
          <a href={withQuery({ after: positionOf(last, key).join() })} rel="next">
            {words.staffCatalog.next}
          </a>
        )}
      </p>
    </>
  );
}

/** @throws AppError `invalid` or `not_found` for a filter */
async function rowsOf(resource: Resource, given: Readonly<Record<string, unknown>>) {
  const verb = verbOf(resource, "list");
  const { query } = useVisit();
  const typed: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries<Parameter<unknown>>(verb.args)) {
    const text = (query.get(name) ?? "").trim();
    if (text === "" || name in given) continue;
    typed[name] = isReference(parameter) ? await parameter.refersTo.find(text, useSite()) : text;
  }
  const args = readArguments({ parameters: verb.args }, { ...typed, ...given }, {});
  const after = query.get("after") ?? "";
  const position = after === "" ? null : ([parseNumber(after) ?? after] as const);
  const part = { after: position, limit: ROWS_PER_PAGE + 1 };
  return shownPage((await verb.run(args, useOf({ part }))) as Row[], ROWS_PER_PAGE);
}

function Filters({
  filters,
  fault,
}: {
  filters: readonly (readonly [name: string, parameter: Parameter<unknown>])[];
  fault: string;
}) {
  const { query, words } = useVisit();
  const labels = words.fields;
  return (
    <search>
      <form method="get" class="inline">
        {filters.map(([name, { schema }]) => {
          const id = `filter-${name}`;
          const value = query.get(name) ?? "";
          const isMark = schema["type"] === "boolean";
          return (
            <>
              <label for={id}>{labels[name] ?? name}</label>
              {isMark ? (
                <input type="checkbox" {...{ id, name }} value="yes" checked={value !== ""} />
              ) : (
                <input type="search" {...{ id, name, value }} />
              )}
            </>
          );
        })}
        <button type="submit">{words.find}</button>
        {fault !== "" && <strong class="fault">{fault}</strong>}
      </form>
    </search>
  );
}

function useLabels(): Readonly<Record<string, string>> {
  const { channelFields, fields } = useVisit().words;
  return { ...channelFields, ...fields };
}

export function columnsOf(
  resource: Pick<Resource, "schema">,
  names: readonly string[],
  { looks = {}, cells }: { looks?: Looks | undefined; cells?: Cells | undefined } = {},
): Column<Row>[] {
  const labels = useLabels();
  return names.map((name) => {
    const shape = shapeOf(resource, name);
    const look = shape["type"] === "integer" && name !== "organization" ? "number" : "";
    const cell = (row: Row) => <Cell {...{ resource, name, row, cells }} />;
    return [labels[name] ?? name, cell, `${look} ${looks[name] ?? ""}`.trim()];
  });
}

export function factsOf(
  resource: Pick<Resource, "schema">,
  row: Row,
  names: readonly string[],
  cells?: Cells,
): Fact[] {
  const labels = useLabels();
  return names.map((name) => [labels[name] ?? name, <Cell {...{ resource, name, row, cells }} />]);
}

/** The schema of a field, without that it may be null. */
function shapeOf({ schema }: Pick<Resource, "schema">, name: string): Schema<unknown> {
  const field = schema["properties"]?.[name] ?? {};
  return field["anyOf"]?.[0] ?? field;
}

function Cell({
  resource,
  name,
  row,
  cells = {},
}: {
  resource: Pick<Resource, "schema">;
  name: string;
  row: Row;
  cells?: Cells | undefined;
}) {
  const own = cells[name];
  if (own !== undefined) return <>{own(row)}</>;
  const value = row[name];
  const shape = shapeOf(resource, name);
  const { words } = useVisit();
  if (name === "plan") return <PlanName code={String(value)} />;
  if (shape["enum"] !== undefined) return <>{choiceNames()[String(value)] ?? String(value)}</>;
  if (value === null || value === "") return <>—</>;
  if (shape["format"] === "date-time") return <Instant at={parseInstant(String(value))} />;
  if (typeof value === "boolean") return <>{words.staffPages[value ? "yes" : "no"]}</>;
  if (name === "organization") return <OrganizationLink id={Number(value)} />;
  if (typeof value === "number") return <>{name === "id" ? value : shownNumber(value)}</>;
  return <bdi>{Array.isArray(value) ? value.join(", ") : String(value)}</bdi>;
}

async function OrganizationLink({ id }: { id: number }) {
  const { name } = await useSite().accounts.organization(id);
  return <NamedLink to={`/staff/organizations/${id}/`}>{name}</NamedLink>;
}

/** A plan's name by its code. */
export async function PlanName({ code }: { code: string }) {
  const { language } = useVisit();
  const plan = (await useSite().accounts.plans()).find((one) => one.code === code);
  return <bdi>{plan === undefined ? code : planName(plan, language)}</bdi>;
}

/** Names of the values that fields and arguments have. */
export function choiceNames(): Readonly<Record<string, string>> {
  const { exportPages, importPages, plansPage, roles, staffPages } = useVisit().words;
  return {
    ...staffPages.states,
    ...importPages.kinds,
    ...importPages.states,
    ...exportPages.formats,
    ...plansPage.periods,
    ...plansPage.buyings,
    ...roles,
  };
}
