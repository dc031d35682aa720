/** @jsxImportSource hono/jsx */
import { IMPORT_KIND_NAMES, importKinds } from "../../../../catalog/imports/kinds/import-kinds.ts";
import { UPLOAD_BYTES_MAX } from "../../../../catalog/imports/runs/upload-files.ts";
import { AppError, type FieldFaults, fieldError } from "../../../../errors.ts";
import { takesFile } from "../../../../values/takes.ts";
import { imports, type UploadOptions, uploadOf } from "../../../../verbs/operator/data/imports.ts";
import { pageFault } from "../../forms/faults.ts";
import { formArguments, verbOf } from "../../forms/verb-action.ts";
import { CheckField, FileField, Form } from "../../look/form.tsx";
import { choiceNames, ResourceList } from "../../look/resource-list.tsx";
import { Facts, NamedLink } from "../../look/user-text.tsx";
import { VerbFields } from "../../look/verb-form.tsx";
import type { SitePage } from "../../site-pages.ts";
import { currentActor } from "../../visit/viewer.ts";
import type { PageView, UploadedFile, View } from "../../visit/visit.ts";
import { page, redirect, renderedFor, useSite, useVisit } from "../../visit/visit.ts";
import { Preview, ReadingFields, withColumnsToName } from "./import-parts.tsx";

const START = verbOf(imports, "start");

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
  const { held } = useSite().imports;
  const words = visit.words.importPages;
  const token = visit.query.get("file");
  if (token !== null) {
    const preview = await held.preview(token);
    const upload = await held.find(token);
    return page(words.firstRows, <Preview {...{ token, upload, preview }} />);
  }
  return page(
    words.imports,
    <>
      <p>{words.intro}</p>
      <Form
        action="import"
        upload
        values={{ kind: "channels" }}
        submit={words.upload}
        words={{ ...visit.words.fields, ...words }}
      >
        <VerbFields resource={imports} verb="start" fields={["kind"]} />
        <FileField
          name="file"
          accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl,.gz,.zst,text/csv,application/json"
        />
        <CheckField name="look" value="yes" />
        <VerbFields resource={imports} verb="start" fields={["dry_run", "replace"]} />
        <ReadingFields resource={imports} verb="start" />
      </Form>
      <Columns />
      <h2>{words.recent}</h2>
      <Runs />
    </>,
  );
}

/** Starts an import, or first shows a preview of its file. */
async function takeImport(): Promise<View> {
  const context = useSite();
  const { form } = useVisit();
  const { imports: runs } = context;
  const given = (await formArguments(START, { faults: fileFaults() })) as UploadOptions;
  const upload = uploadOf(given, form.file("file") as UploadedFile);
  if (!form.isChecked("look")) {
    const id = await runs.start({ ...upload, by: currentActor() });
    return redirect(`/staff/imports/${id}/`);
  }
  try {
    return redirect(`/staff/imports/?file=${await runs.held.hold(upload)}`);
  } catch (error) {
    const withColumns = withColumnsToName(upload, error);
    if (withColumns === null) throw atFileField(error);
    const show = async () => ({ ...(await showPage()), status: 400 });
    return renderedFor(withColumns, context, show);
  }
}

/** Reports faults of the file itself at its field. */
function atFileField(error: unknown): unknown {
  const isOfFile = error instanceof AppError && error.code === "invalid";
  return isOfFile ? fieldError({ file: [error.publicMessage] }) : error;
}

async function startHeld(): Promise<View> {
  const { imports: runs } = useSite();
  const upload = await runs.held.release(useVisit().form.get("file"));
  const id = await runs.start({ ...upload, by: currentActor() });
  return redirect(`/staff/imports/${id}/`);
}

/** What is wrong with the file before anybody reads it. */
function fileFaults(): FieldFaults {
  const { form, words } = useVisit();
  const { noFile, emptyFile } = words.importPages;
  const bytes = form.file("file")?.bytes ?? null;
  if (bytes !== null && bytes > 0) return {};
  return pageFault("file", bytes === null ? noFile : emptyFile).faults ?? {};
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

function Runs() {
  const words = useVisit().words.importPages;
  return (
    <ResourceList
      resource={imports}
      label={words.recent}
      empty={words.noImports}
      columns={["file", "kind", "state", "read", "rejected", "started_at", "started_by"]}
      looks={{ file: "row" }}
      cells={{
        file: ({ id, file }) => <NamedLink to={`/staff/imports/${id}/`}>{String(file)}</NamedLink>,
        state: ({ state, dry_run: isDry }) =>
          `${choiceNames()[String(state)]}${isDry ? `, ${words.dryRunMark}` : ""}`,
      }}
    />
  );
}
