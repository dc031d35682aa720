/** @jsxImportSource hono/jsx */
import type { RecordedRun } from "../../../../catalog/imports/runs/import-runs.ts";
import { type ReasonGroup, reasonOf } from "../../../../catalog/imports/writing/tally.ts";
import { DataTable } from "../../look/data-table.tsx";
import { Form } from "../../look/form.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";

/** Rejected rows and dropped cells by reason, and the rejected rows as a file. */
export function ImportReasons({ run }: { run: RecordedRun }) {
  const words = useVisit().words.importPages;
  const { rejects, warnings, rejected, rejectsKept } = run.summary;
  return (
    <>
      <ReasonTable label={words.rejectedRows} groups={rejects} />
      {rejectsKept > 0 && run.state !== "running" && (
        <Form action="rejects" submit={words.downloadRejects}>
          <p>
            {rejectsKept < rejected
              ? words.firstRejected(shownNumber(rejectsKept), shownNumber(rejected))
              : words.allRejected}
          </p>
        </Form>
      )}
      <ReasonTable label={words.warnings} groups={warnings} />
    </>
  );
}

function ReasonTable({ label, groups }: { label: string; groups: readonly ReasonGroup[] }) {
  const visit = useVisit();
  const words = visit.words.importPages;
  if (groups.length === 0) return null;
  return (
    <>
      <h2>{label}</h2>
      <DataTable
        className="rejects named"
        label={label}
        rows={groups}
        columns={[
          [words.count, (group) => shownNumber(group.count), "row"],
          [words.column, (group) => (group.column === null ? "—" : <code>{group.column}</code>)],
          [words.reason, (group) => <bdi>{reasonOf(visit.language, group)}</bdi>],
          [words.exampleLine, (group) => group.line ?? "—"],
          [words.exampleValue, (group) => (group.value === null ? "—" : <q>{group.value}</q>)],
        ]}
      />
    </>
  );
}
