/** @jsxImportSource hono/jsx */
import type { Organization } from "../../../../customers/accounts/accounts.table.ts";
import type {
  AuditAction,
  AuditDetail,
  AuditRecord,
  AuditTarget,
} from "../../../../customers/audit/audit-log.ts";
import type { PersonAccount } from "../../../../customers/people/people.ts";
import { parseNumber } from "../../../../values/fields.ts";
import { HOUR_MS, parseInstant } from "../../../../values/moscow-time.ts";
import { DataTable } from "../../look/data-table.tsx";
import { Instant, LastDayBefore, shownNumber } from "../../look/shown.tsx";
import { NamedLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { asset } from "../../visit/view.ts";
import { consolePage, withQuery } from "./console.tsx";

const ENTRIES_PER_PAGE = 50;
/** Stands for the command line in the filter by address, since its changes have none. */
const COMMAND_LINE = "command-line";

/** `/staff/audit/`: what was changed, and by whom; latest first. */
export const auditPage: SitePage = {
  path: "/staff/audit/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const log = visit.words.auditLog;
    const organizations = await context.accounts.organizations();
    const names = new Map(organizations.map(({ id, name }) => [id, name]));
    const entries = await context.audit.entries({
      before: numberOf("before"),
      organizationId: numberOf("organization"),
      person: personOf(),
      // Reads one more than it shows, to see whether another page follows.
      limit: ENTRIES_PER_PAGE + 1,
    });
    const shown = entries.slice(0, ENTRIES_PER_PAGE);
    const last = shown.at(-1);
    return consolePage(
      words.audit,
      <>
        <p>{words.auditText}</p>
        <Filters organizations={organizations} people={await context.people.people()} />
        <DataTable
          label={words.audit}
          empty={words.none}
          rows={shown}
          columns={[
            [words.time, ({ at }) => <Instant at={at} withSeconds />],
            [
              words.who,
              ({ person }) => (
                <a
                  href={asset(`/staff/audit/?person=${encodeURIComponent(person || COMMAND_LINE)}`)}
                >
                  <bdi>{person || log.commandLine}</bdi>
                </a>
              ),
            ],
            [
              visit.words.organization,
              ({ organizationId: id }) =>
                id === null ? (
                  "—"
                ) : (
                  <NamedLink to={`/staff/organizations/${id}/`}>{names.get(id) ?? id}</NamedLink>
                ),
            ],
            [words.action, ({ action }) => log.actions[action as AuditAction] ?? action],
            [words.target, ({ target }) => <bdi>{targetText(target)}</bdi>, "wrapped"],
            [words.details, ({ details }) => <Details details={details} />, "long"],
          ]}
        />
        {last !== undefined && entries.length > shown.length && (
          <p>
            <a href={withQuery({ before: last.id })}>{words.earlier} →</a>
          </p>
        )}
      </>,
    );
  },
};

/** A target's kind in words, and its number or name. */
function targetText(target: string): string {
  const [kind = "", ...named] = target.split(" ");
  return [useVisit().words.auditLog.targets[kind as AuditTarget] ?? kind, ...named].join(" ");
}

function Details({ details }: Pick<AuditRecord, "details">) {
  const words = useVisit().words.auditLog;
  return (
    <>
      {Object.entries(details).map(([name, value], at) => (
        <>
          {at > 0 && ", "}
          {words.details[name as AuditDetail] ?? name}:{" "}
          <bdi>
            <Detail name={name} value={value} />
          </bdi>
        </>
      ))}
    </>
  );
}

/** Details that are quantities, not ids. */
const AMOUNTS = new Set([
  ...["bytes", "requestsPerPeriod", "requestsPerSecond", "webhookChannels"],
  ...["databaseMsPerSecond", "lockMsPerSecond"],
]);

function Detail({ name, value }: { name: string; value: unknown }) {
  if (name === "overlapMs") return <>{shownNumber(Number(value) / HOUR_MS)}</>;
  if (AMOUNTS.has(name)) return <>{shownNumber(Number(value))}</>;
  const text = String(value ?? "—");
  // A plan ends at an instant; the page shows the last day before it.
  const ends = name === "ends" ? parseInstant(text) : null;
  if (ends !== null) return <LastDayBefore at={ends} />;
  const { auditLog, planNames } = useVisit().words;
  const texts: Record<string, string> | undefined =
    name === "plan" ? planNames : auditLog.values[name as AuditDetail];
  return <>{texts?.[text] ?? text}</>;
}

function Filters({
  organizations,
  people,
}: {
  organizations: readonly Organization[];
  people: readonly PersonAccount[];
}) {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const organizationId = numberOf("organization");
  return (
    <search>
      <form method="get" class="inline">
        <label for="audit-organization">{visit.words.organization}</label>
        <select name="organization" id="audit-organization">
          <option value="">{words.all}</option>
          {organizations.map(({ id, name }) => (
            <option value={id} selected={id === organizationId}>
              {name}
            </option>
          ))}
        </select>
        <label for="person">{words.who}</label>
        <input name="person" id="person" list="people" value={visit.query.get("person") ?? ""} />
        <datalist id="people">
          <option value={COMMAND_LINE}>{visit.words.auditLog.commandLine}</option>
          {people.map(({ email }) => (
            <option value={email} />
          ))}
        </datalist>
        <button type="submit">{words.show}</button>
      </form>
    </search>
  );
}

/** The person whose entries are requested; null for everybody's. */
function personOf(): string | null {
  const { query } = useVisit();
  const text = (query.get("person") ?? "").trim();
  if (text === COMMAND_LINE) return "";
  return text === "" ? null : text;
}

/** A number in the query; null for any other text, so that the page shows everything. */
function numberOf(name: string): number | null {
  const { query } = useVisit();
  return parseNumber(query.get(name) ?? "");
}
