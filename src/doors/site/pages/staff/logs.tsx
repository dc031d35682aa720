/** @jsxImportSource hono/jsx */
import type {
  AuditAction,
  AuditDetail,
  AuditTarget,
} from "../../../../customers/audit/audit-log.ts";
import { HOUR_MS, parseInstant } from "../../../../values/moscow-time.ts";
import { audit, COMMANDS } from "../../../../verbs/operator/customers/audit.ts";
import { DataTable } from "../../look/data-table.tsx";
import { ResourceList } from "../../look/resource-list.tsx";
import { Instant, LastDayBefore, shownNumber } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { asset, useVisit } from "../../visit/visit.ts";
import { consolePage } from "./console.tsx";

/** `/staff/audit/`: what was changed, and by whom; latest first. */
export const auditPage: SitePage = {
  path: "/staff/audit/",
  access: "staff",
  async show({ words: { staffPages: words, auditLog: log } }) {
    return consolePage(
      words.audit,
      <>
        <p>{words.auditText}</p>
        <ResourceList
          resource={audit}
          label={words.audit}
          columns={["at", "person", "organization", "action", "target", "details"]}
          looks={{ target: "wrapped", details: "long" }}
          cells={{
            at: ({ at }) => <Instant at={parseInstant(String(at))} withSeconds />,
            person: ({ person }) => <Person person={String(person)} />,
            action: ({ action }) => log.actions[action as AuditAction] ?? String(action),
            target: ({ target }) => <bdi>{targetText(String(target))}</bdi>,
            details: ({ details }) => <Details details={details as object} />,
          }}
        />
      </>,
    );
  },
};

/** Whoever made a change, with a link to all changes of theirs. */
function Person({ person }: { person: string }) {
  const { commandLine } = useVisit().words.auditLog;
  return (
    <a href={asset(`/staff/audit/?person=${encodeURIComponent(person)}`)}>
      <bdi>{person === COMMANDS ? commandLine : person}</bdi>
    </a>
  );
}

/** A target's kind in words, and its number or name. */
function targetText(target: string): string {
  const [kind = "", ...named] = target.split(" ");
  return [useVisit().words.auditLog.targets[kind as AuditTarget] ?? kind, ...named].join(" ");
}

function Details({ details }: { details: object }) {
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
    name === "plan" ? planNames : auditLog.values[name];
  return <>{texts?.[text] ?? text}</>;
}

/** `/staff/errors/`: recent warnings and errors of all workers. */
export const errorsPage: SitePage = {
  path: "/staff/errors/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const entries = await context.recentErrors();
    return consolePage(
      words.errors,
      <>
        <p>{words.errorsText}</p>
        <DataTable
          label={words.errors}
          empty={words.none}
          rows={entries}
          columns={[
            [visit.words.time, ({ at }) => <Instant at={at} withSeconds />],
            [
              words.level,
              ({ level }) => words.levels[level],
              "",
              ({ level }) => level === "error" && "fault",
            ],
            [
              words.message,
              ({ message, facts, cause }) => (
                <>
                  <bdi>{message}</bdi>
                  {facts !== "" && (
                    <>
                      <br />
                      <small>
                        <code>{facts}</code>
                      </small>
                    </>
                  )}
                  {cause !== "" && (
                    <details>
                      <summary>{words.cause}</summary>
                      <pre class="wrapped">{cause}</pre>
                    </details>
                  )}
                </>
              ),
              "long",
            ],
            [
              words.request,
              ({ requestId }) => (requestId === null ? "—" : <code>{requestId}</code>),
            ],
          ]}
        />
      </>,
    );
  },
};
