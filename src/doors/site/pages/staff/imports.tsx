/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { IMPORT_KIND_NAMES, importKinds } from "../../../../catalog/imports/kinds/import-kinds.ts";
import type { RecordedRun } from "../../../../catalog/imports/runs/import-runs.ts";
import { AppError, fieldError } from "../../../../errors.ts";
import { takesFile } from "../../../../values/takes.ts";
import { pageFault, readFields, requiredChoice } from "../../forms/faults.ts";
import { UPLOAD_BYTES_MAX } from "../../forms/read-multipart.ts";
import { DataTable } from "../../look/data-table.tsx";
import { Facts } from "../../look/facts.tsx";
import { CheckField, FileField, Form } from "../../look/form.tsx";
import { Instant, shownNumber } from "../../look/shown.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { asset } from "../../visit/site-path.ts";
import { type PageView, page, redirect, type View } from "../../visit/view.ts";
import { actorOf } from "../../visit/viewer.ts";
import type { UploadedFile, Visit } from "../../visit/visit.ts";
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

async function showPage(visit: Visit, { imports }: SiteContext): Promise<PageView> {
  const words = visit.words.importPages;
  const token = visit.query.get("file");
  if (token !== null) {
    const preview = await imports.held.preview(token);
    const upload = await imports.held.find(token);
    return page(words.firstRows, <Preview {...{ visit, token, upload, preview }} />);
  }
  const runs = await imports.runs(RUNS_SHOWN);
  const field = { visit, action: "import" };
  return page(
    words.imports,
    <>
      <p>{words.intro}</p>
      <Form visit={visit} action="import" upload>
        <KindField {...field} />
        <FileField
          {...field}
          name="file"
          label={words.file}
          hint={words.fileHint}
          accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl,.gz,.zst,text/csv,application/json"
        />
        <CheckField {...field} name="look" label={words.look} value="yes" hint={words.lookHint} />
        <CheckField {...field} name="dryRun" label={words.dryRun} hint={words.dryRunHint} />
        <CheckField {...field} name="replace" label={words.replace} hint={words.replaceHint} />
        <ReadingFields visit={visit} />
        <button type="submit">{words.upload}</button>
      </Form>
      <Columns visit={visit} />
      <h2>{words.recent}</h2>
      {runs.length === 0 ? (
        <p class="empty">{words.noImports}</p>
      ) : (
        <Runs visit={visit} runs={runs} />
      )}
    </>,
  );
}

/** Starts an import, or first shows a preview of its file. */
async function takeImport(visit: Visit, context: SiteContext): Promise<View> {
  const { form } = visit;
  const { imports } = context;
  const { kind, file, replace, map, timezone } = await readFields({
    kind: () => requiredChoice(IMPORT_KIND_NAMES, form.get("kind")),
    file: () => requiredFile(visit),
    replace: () => readReplace(visit),
    map: () => readMap(visit),
    timezone: () => readTimezone(visit),
  });
  const chosen = { dryRun: form.isChecked("dryRun"), strict: form.isChecked("strict"), replace };
  const reading = readingOf(visit, map);
  const upload = { kind, file, options: { ...chosen, reading, timezone } };
  if (form.isChecked("look")) {
    try {
      return redirect(`/staff/imports/?file=${await imports.held.hold(upload)}`);
    } catch (error) {
      const withColumns = withColumnsToName(visit, kind, error);
      if (withColumns === null) throw atFileField(error);
      return { ...(await showPage(withColumns, context)), status: 400 };
    }
  }
  const id = await imports.start({ ...upload, by: actorOf(visit) });
  return redirect(`/staff/imports/${id}/`);
}

/** Reports faults of the file itself at its field. */
function atFileField(error: unknown): unknown {
  const isOfFile = error instanceof AppError && error.code === "invalid";
  return isOfFile ? fieldError({ file: [error.publicMessage] }) : error;
}

async function startHeld(visit: Visit, { imports }: SiteContext): Promise<View> {
  const upload = await imports.held.release(visit.form.get("file"));
  const id = await imports.start({ ...upload, by: actorOf(visit) });
  return redirect(`/staff/imports/${id}/`);
}

/** @throws AppError `invalid` on `file` */
function requiredFile({ form, words }: Visit): UploadedFile {
  const file = form.file("file");
  if (file === null) throw pageFault("file", words.importPages.noFile);
  if (file.bytes === 0) throw pageFault("file", words.importPages.emptyFile);
  return file;
}

/** @throws AppError `invalid` on `replace` for a kind that is not a directory */
function readReplace({ form, words }: Visit): boolean {
  if (!form.isChecked("replace")) return false;
  const kind = IMPORT_KIND_NAMES.find((name) => name === form.get("kind"));
  if (kind === undefined || importKinds[kind].isDirectory) return true;
  throw pageFault("replace", words.importPages.noReplace);
}

function stateText({ words }: Visit, { state, isWaiting, summary }: RecordedRun): string {
  const { states, dryRunMark } = words.importPages;
  const text = isWaiting ? states.waiting : states[state];
  return summary.options.dryRun ? `${text}, ${dryRunMark}` : text;
}

function Columns({ visit }: { visit: Visit }): JSX.Element {
  const words = visit.words.importPages;
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

function Runs({ visit, runs }: { visit: Visit; runs: readonly RecordedRun[] }): JSX.Element {
  const words = visit.words.importPages;
  return (
    <DataTable
      label={words.recent}
      columns={[
        ...[words.file, words.kind, words.state, `#${words.read}`, `#${words.rejected}`],
        ...[words.started, words.by],
      ]}
    >
      {runs.map((run) => (
        <tr>
          <th scope="row">
            <a href={asset(visit, `/staff/imports/${run.id}/`)}>
              <bdi>{run.fileName}</bdi>
            </a>
          </th>
          <td>{words.kinds[run.kind]}</td>
          <td>{stateText(visit, run)}</td>
          <td class="number">{shownNumber(visit, run.summary.read)}</td>
          <td class="number">{shownNumber(visit, run.summary.rejected)}</td>
          <td>
            <Instant visit={visit} at={run.startedAt} />
          </td>
          <td>
            <bdi>{run.person}</bdi>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
