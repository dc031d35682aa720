/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { type AuditAction, type AuditRecord, COMMAND_LINE } from "../../../audit/audit-log.ts";
import { Instant } from "../../formats.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { asset } from "../../site-path.ts";
import type { Visit } from "../../visit.ts";
import { auditWords } from "../../words/audit.ts";
import { staffWords } from "../../words/staff.ts";
import { consolePage, DataTable, withQuery } from "./console.tsx";

const ENTRIES_PER_PAGE = 50;

/** `/staff/audit/`: what was changed, by whom; the latest first. */
export const auditPage: SitePage = {
  path: "/staff/audit/",
  access: "staff",
  show(visit, context) {
    const words = staffWords[visit.language];
    const names = new Map(context.accounts.organizations().map(({ id, name }) => [id, name]));
    const entries = context.audit.entries({
      before: numberOf(visit, "before"),
      organizationId: numberOf(visit, "organization"),
      person: personOf(visit),
      // One more tells whether there is another page.
      limit: ENTRIES_PER_PAGE + 1,
    });
    const shown = entries.slice(0, ENTRIES_PER_PAGE);
    const last = shown.at(-1);
    return consolePage(
      visit,
      words.audit,
      <>
        <p>{words.auditText}</p>
        <Filters visit={visit} context={context} />
        {last === undefined ? (
          <p>{words.none}</p>
        ) : (
          <DataTable
            label={words.audit}
            columns={[
              ...[words.time, words.who, visit.words.organization, words.action],
              ...[words.target, words.details],
            ]}
          >
            {shown.map((entry) => (
              <EntryRow visit={visit} entry={entry} names={names} />
            ))}
          </DataTable>
        )}
        {last !== undefined && entries.length > shown.length && (
          <p>
            <a href={withQuery(visit, { before: last.id })}>{words.earlier} →</a>
          </p>
        )}
      </>,
    );
  },
};

function EntryRow({
  visit,
  entry,
  names,
}: {
  visit: Visit;
  entry: AuditRecord;
  names: ReadonlyMap<number, string>;
}): JSX.Element {
  const { at, person, organizationId, action, target, details } = entry;
  const words = auditWords[visit.language];
  return (
    <tr>
      <td>
        <Instant at={at} language={visit.language} withSeconds />
      </td>
      <td>{person === "" ? words.commandLine : <bdi>{person}</bdi>}</td>
      <td>
        {organizationId === null ? (
          "–"
        ) : (
          <a href={asset(visit, `/staff/organizations/${organizationId}/`)}>
            <bdi>{names.get(organizationId) ?? organizationId}</bdi>
          </a>
        )}
      </td>
      <td>{words.actions[action as AuditAction] ?? action}</td>
      <td>
        <bdi>{target.replace(/^\w+/, (word) => words.targets[word] ?? word)}</bdi>
      </td>
      <td class="long">
        {Object.entries(details).map(([name, value], at) => (
          <>
            {at > 0 && ", "}
            {words.details[name] ?? name}: <bdi>{String(value ?? "–")}</bdi>
          </>
        ))}
      </td>
    </tr>
  );
}

function Filters({ visit, context }: { visit: Visit; context: SiteContext }): JSX.Element {
  const words = staffWords[visit.language];
  const organizationId = numberOf(visit, "organization");
  const person = personOf(visit);
  return (
    <search>
      <form method="get" class="inline">
        <label for="organization">{visit.words.organization}</label>
        <select name="organization" id="organization">
          <option value="">{words.all}</option>
          {context.accounts.organizations().map(({ id, name }) => (
            <option value={id} selected={id === organizationId}>
              {name}
            </option>
          ))}
        </select>
        <label for="person">{words.who}</label>
        <select name="person" id="person">
          <option value="">{words.all}</option>
          {context.audit.actors().map((actor) => (
            <option value={actor || COMMAND_LINE_CHOICE} selected={actor === person}>
              {actor || auditWords[visit.language].commandLine}
            </option>
          ))}
        </select>
        <button type="submit">{words.show}</button>
      </form>
    </search>
  );
}

/** No address, since it has no `@`. */
const COMMAND_LINE_CHOICE = "command-line";

/** Null: everybody. */
function personOf({ query }: Visit): string | null {
  const text = query.get("person") ?? "";
  if (text === COMMAND_LINE_CHOICE) return COMMAND_LINE.person;
  return text === "" ? null : text;
}

/** Null for what is no number: the page then shows all. */
function numberOf({ query }: Visit, name: string): number | null {
  const text = query.get(name) ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
