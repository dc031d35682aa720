/** @jsxImportSource hono/jsx */
import { IMPORT_KIND_NAMES, importKinds } from "../../../../catalog/imports/kinds/import-kinds.ts";
import type { RecordedRun } from "../../../../catalog/imports/runs/import-runs.ts";
import { UPLOAD_BYTES_MAX } from "../../../../catalog/imports/runs/upload-files.ts";
import { AppError, fieldError } from "../../../../errors.ts";
import { takesFile } from "../../../../values/takes.ts";
import { pageFault, readFields, requiredChoice } from "../../forms/faults.ts";
import { DataTable } from "../../look/data-table.tsx";
import { CheckField, FileField, Form } from "../../look/form.tsx";
import { Instant, shownNumber } from "../../look/shown.tsx";
import { Facts, NamedLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { renderedFor, useSite, useVisit } from "../../visit/use-visit.ts";
import { type PageView, page, redirect, type View } from "../../visit/view.ts";
import { currentActor } from "../../visit/viewer.ts";
import type { UploadedFile } from "../../visit/visit.ts";
import { Preview } from "./import-preview.tsx";
import {
  ReadingFields,
  readingOf,
  readMap,
  readTimezone,
  withColumnsToName,
} from "./import-reading.tsx";
import { KindField } from "./kind-field.tsx";

const RUNS_SHOWN = 30;

/** `/staff/imports/`: uploads files, and lists the latest imports. */
export const importsPage: SitePage = {
  path: "/staff/imports/",
  access: "staff",
  takes: takesFile(UPLOAD_BYTES_MAX),
  show: showPage,
  actions: { import: takeImport, start: startHeld },
};

async function showPage(): Promise<PageView> {
  const visit = useVisit();
  const { imports } = useSite();
  const words = visit.words.importPages;
  const token = visit.query.get("file");
  if (token !== null) {
    const preview = await imports.held.preview(token);
    const upload = await imports.held.find(token);
    return page(words.firstRows, <Preview {...{ token, upload, preview }} />);
  }
  const runs = await imports.runs(RUNS_SHOWN);
  return page(
    words.imports,
    <>
      <p>{words.intro}</p>
      <Form action="import" upload submit={words.upload} words={words}>
        <KindField />
        <FileField
          name="file"
          accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl,.gz,.zst,text/csv,application/json"
        />
        <CheckField name="look" value="yes" />
        <CheckField name="dryRun" />
        <CheckField name="replace" />
        <ReadingFields />
      </Form>
      <Columns />
      <h2>{words.recent}</h2>
      {runs.length === 0 ? <p class="empty">{words.noImports}</p> : <Runs runs={runs} />}
    </>,
  );
}

/** Starts an import, or first shows a preview of its file. */
async function takeImport(): Promise<View> {
  const context = useSite();
  const { form } = useVisit();
  const { imports } = context;
  const { kind, file, replace, map, timezone } = await readFields({
    kind: () => requiredChoice(IMPORT_KIND_NAMES, form.get("kind")),
    file: () => requiredFile(),
    replace: () => readReplace(),
    map: () => readMap(),
    timezone: () => readTimezone(),
  });
  const chosen = { dryRun: form.isChecked("dryRun"), strict: form.isChecked("strict"), replace };
  const reading = readingOf(map);
  const upload = { kind, file, options: { ...chosen, reading, timezone } };
  if (form.isChecked("look")) {
    try {
      return redirect(`/staff/imports/?file=${await imports.held.hold(upload)}`);
    } catch (error) {
      const withColumns = withColumnsToName(kind, error);
      if (withColumns === null) throw atFileField(error);
      const show = async () => ({ ...(await showPage()), status: 400 });
      return renderedFor(withColumns, context, show);
    }
  }
  const id = await imports.start({ ...upload, by: currentActor() });
  return redirect(`/staff/imports/${id}/`);
}

/** Reports faults of the file itself at its field. */
function atFileField(error: unknown): unknown {
  const isOfFile = error instanceof AppError && error.code === "invalid";
  return isOfFile ? fieldError({ file: [error.publicMessage] }) : error;
}

async function startHeld(): Promise<View> {
  const { imports } = useSite();
  const upload = await imports.held.release(useVisit().form.get("file"));
  const id = await imports.start({ ...upload, by: currentActor() });
  return redirect(`/staff/imports/${id}/`);
}

/** @throws AppError `invalid` on `file` */
function requiredFile(): UploadedFile {
  const { form, words } = useVisit();
  const file = form.file("file");
  if (file === null) throw pageFault("file", words.importPages.noFile);
  if (file.bytes === 0) throw pageFault("file", words.importPages.emptyFile);
  return file;
}

/** @throws AppError `invalid` on `replace` for a kind that is not a directory */
function readReplace(): boolean {
  const { form, words } = useVisit();
  if (!form.isChecked("replace")) return false;
  const kind = IMPORT_KIND_NAMES.find((name) => name === form.get("kind"));
  if (kind === undefined || importKinds[kind].isDirectory) return true;
  throw pageFault("replace", words.importPages.noReplace);
}

function stateText({ state, isWaiting, summary }: RecordedRun): string {
  const { words } = useVisit();
  const { states, dryRunMark } = words.importPages;
  const text = isWaiting ? states.waiting : states[state];
  return summary.options.dryRun ? `${text}, ${dryRunMark}` : text;
}

function Columns() {
  const words = useVisit().words.importPages;
  return (
    <details>
      <summary>{words.columns}</summary>
      <Facts
        facts={IMPORT_KIND_NAMES.map((name) => [
          words.kinds[name],
          <>
            <code>{Object.keys(importKinds[name].columns).join(", ")}</code>
            <br />
            {words.rowNeeds[name]}
          </>,
        ])}
      />
      <p>{words.imageHint}</p>
    </details>
  );
}

function Runs({ runs }: { runs: readonly RecordedRun[] }) {
  const words = useVisit().words.importPages;
  return (
    <DataTable
      label={words.recent}
      rows={runs}
      columns={[
        [
          words.file,
          (run) => <NamedLink to={`/staff/imports/${run.id}/`}>{run.fileName}</NamedLink>,
          "row",
        ],
        [words.kind, (run) => words.kinds[run.kind]],
        [words.state, (run) => stateText(run)],
        [words.read, (run) => shownNumber(run.summary.read), "number"],
        [words.rejected, (run) => shownNumber(run.summary.rejected), "number"],
        [words.started, (run) => <Instant at={run.startedAt} />],
        [words.by, (run) => <bdi>{run.person}</bdi>],
      ]}
    />
  );
}
