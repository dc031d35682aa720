/** @jsxImportSource hono/jsx */
import type { RecordedRun } from "../../../../catalog/imports/runs/import-runs.ts";
import { type ReasonGroup, reasonOf } from "../../../../catalog/imports/writing/import-summary.ts";
import { notFound } from "../../../../errors.ts";
import { DataTable } from "../../look/data-table.tsx";
import { Form } from "../../look/form.tsx";
import { Instant, shownNumber, told } from "../../look/shown.tsx";
import { Facts } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { asset, page, useSite, useVisit, type View } from "../../visit/visit.ts";
import { Recognized } from "./import-parts.tsx";

/** `/staff/imports/:id/`: an import's progress; the script refreshes it until it has ended. */
export const importRunPage: SitePage = {
  path: "/staff/imports/:id/",
  access: "staff",
  async show(visit, { imports }) {
    const words = visit.words.importPages;
    const run = await imports.run(idOf());
    return page(
      `${words.import} ${run.id}`,
      <div id="run" data-refresh={run.state === "running" ? "yes" : undefined}>
        <Run run={run} />
        <p class="row">
          <a href={asset("/staff/imports/")}>{words.back}</a>
          {run.state === "done" && (
            <>
              <a href={asset("/staff/channels/")}>{visit.words.channels}</a>
              <a href={asset("/staff/start/")}>{visit.words.firstSteps.title}</a>
            </>
          )}
        </p>
      </div>,
    );
  },
  actions: { rejects: downloadRejects },
};

/** @throws AppError `not_found` */
function idOf(): number {
  const { params } = useVisit();
  const id = params["id"] ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) throw notFound("import");
  return Number(id);
}

async function downloadRejects(): Promise<View> {
  const { imports } = useSite();
  const { run, path } = await imports.rejects(idOf());
  return {
    kind: "download",
    fileName: `rejected-rows-${run.id}.ndjson`,
    type: "application/x-ndjson",
    body: Bun.file(path).stream(),
  };
}

interface RunProps {
  run: RecordedRun;
}

function Run({ run }: RunProps) {
  const words = useVisit().words.importPages;
  const { options } = run.summary;
  return (
    <>
      {(options.dryRun || options.replace) && (
        <p class="notice">
          {options.dryRun && words.isDryRun} {options.replace && words.isReplace}
        </p>
      )}
      <Progress run={run} />
      <Facts
        facts={[
          [words.file, <bdi>{run.fileName}</bdi>],
          [useVisit().words.fields.kind, words.kinds[run.kind]],
          [words.by, <bdi>{run.person}</bdi>],
          [words.started, <Instant at={run.startedAt} />],
          [words.ended, <Instant at={run.finishedAt} />],
        ]}
      />
      <Counts run={run} />
      <Recognized recognized={run.summary.recognized} />
      <ImportReasons run={run} />
      {run.summary.notes.length > 0 && (
        <>
          <h2>{words.notes}</h2>
          <ul>
            {run.summary.notes.map((note) => (
              <li>
                <bdi>{told(note)}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Progress({ run }: RunProps) {
  const words = useVisit().words.importPages;
  const { bytes, bytesRead, read, rejected } = run.summary;
  if (run.state === "failed") {
    return (
      <p class="fault" role="alert">
        <bdi>{run.failure && told(run.failure)}</bdi>
      </p>
    );
  }
  if (run.state === "done") {
    const tookNothing = read > 0 && rejected === read;
    return (
      <p role="status" class={tookNothing ? "notice" : undefined}>
        {tookNothing ? words.tookNothing : words.isDone}
      </p>
    );
  }
  if (run.isWaiting) {
    return (
      <p role="status">
        {words.waiting} <small>{words.refreshHint}</small>
      </p>
    );
  }
  const percent = bytes === 0 ? 0 : Math.floor((100 * bytesRead) / bytes);
  return (
    <>
      <p>
        <label for="read">{`${words.fileRead}: ${percent}%`}</label>
        <br />
        <progress id="read" max={100} value={percent} />
      </p>
      <p>
        <small>{words.refreshHint}</small>
      </p>
    </>
  );
}

const COUNTS = ["read", "inserted", "updated", "unchanged", "rejected"] as const;

function Counts({ run }: RunProps) {
  const words = useVisit().words.importPages;
  const { read, seconds, removed, handles_moved: moved, kept_out: keptOut } = run.summary;
  const counts = COUNTS.map((name) => [words[name], run.summary[name]] as const);
  const rate = seconds > 0 ? [[words.rowsPerSecond, Math.round(read / seconds)] as const] : [];
  const gone = removed === undefined ? [] : [[words.removed, removed] as const];
  const handles = moved === undefined ? [] : [[words.handlesMoved, moved] as const];
  const kept = keptOut === 0 ? [] : [[words.keptOut, keptOut] as const];
  return (
    <ul class="cards">
      {[...counts, ...gone, ...handles, ...kept, ...rate].map(([label, count]) => (
        <li>
          <strong>{shownNumber(count)}</strong> {label}
        </li>
      ))}
    </ul>
  );
}

/** Rejected rows and dropped cells by reason, and the rejected rows as a file. */
function ImportReasons({ run }: { run: RecordedRun }) {
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
