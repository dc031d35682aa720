/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { RecordedRun } from "../../../../catalog/imports/runs/import-runs.ts";
import { type ReasonGroup, reasonOf } from "../../../../catalog/imports/writing/tally.ts";
import { DataTable } from "../../look/data-table.tsx";
import { Form } from "../../look/form.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";

/** Rejected rows and dropped cells by reason, and the rejected rows as a file. */
export function ImportReasons({ run }: { run: RecordedRun }): JSX.Element {
  const words = useVisit().words.importPages;
  const { rejects, warnings, rejected, rejectsKept } = run.summary;
  return (
    <>
      <ReasonTable label={words.rejectedRows} groups={rejects} />
      {rejectsKept > 0 && run.state !== "running" && (
        <Form action="rejects">
          <p>
            {rejectsKept < rejected
              ? words.firstRejected(shownNumber(rejectsKept), shownNumber(rejected))
              : words.allRejected}
          </p>
          <button type="submit">{words.downloadRejects}</button>
        </Form>
      )}
      <ReasonTable label={words.warnings} groups={warnings} />
    </>
  );
}

function ReasonTable({
  label,
  groups,
}: {
  label: string;
  groups: readonly ReasonGroup[];
}): JSX.Element | null {
  const visit = useVisit();
  const words = visit.words.importPages;
  if (groups.length === 0) return null;
  return (
    <>
      <h2>{label}</h2>
      <DataTable
        className="rejects named"
        label={label}
        columns={[words.count, words.column, words.reason, words.exampleLine, words.exampleValue]}
      >
        {groups.map((group) => (
          <tr>
            <th scope="row">{shownNumber(group.count)}</th>
            <td data-label={words.column}>
              {group.column === null ? "—" : <code>{group.column}</code>}
            </td>
            <td data-label={words.reason}>
              <bdi>{reasonOf(visit.language, group)}</bdi>
            </td>
            <td data-label={words.exampleLine}>{group.line ?? "—"}</td>
            <td data-label={words.exampleValue}>
              {group.value === null ? "—" : <q>{group.value}</q>}
            </td>
          </tr>
        ))}
      </DataTable>
    </>
  );
}
