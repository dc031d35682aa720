/** @jsxImportSource hono/jsx */
import { stringifyExact } from "../../../../catalog/imports/reading/json-rows.ts";
import {
  describeRecognized,
  type InputRow,
  type Recognized as RecognizedFile,
} from "../../../../catalog/imports/reading/recognized.ts";
import type { NewUpload, UploadPreview } from "../../../../catalog/imports/runs/upload-files.ts";
import { shortened } from "../../../../values/fields.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { Scroll } from "../../look/data-table.tsx";
import { told } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";
import { asset } from "../../visit/view.ts";

interface PreviewProps {
  token: string;
  upload: NewUpload;
  preview: UploadPreview;
}

/** The beginning of an uploaded file as it will be imported, and the button that starts the import. */
export function Preview({ token, upload, preview }: PreviewProps) {
  const words = useVisit().words.importPages;
  const { rows } = preview;
  const isKnown = rows.some((row) => "fault" in row || Object.keys(row.fields).length > 0);
  return (
    <>
      <p>
        <bdi>{upload.file.name}</bdi>: {words.kinds[upload.kind]}
        {upload.options.dryRun && `, ${words.dryRunMark}`}
      </p>
      <Recognized recognized={preview.recognized} />
      {isKnown && <Rows rows={rows} />}
      {!isKnown && <p class="notice">{rows.length === 0 ? words.noRows : words.noColumns}</p>}
      {(isKnown || rows.length === 0) && (
        <ActionButton action="start" label={words.start} fields={{ file: token }} />
      )}
      <p>
        <a href={asset("/staff/imports/")}>{words.otherFile}</a>
      </p>
    </>
  );
}

/** How a file was read. */
export function Recognized({ recognized }: { recognized: RecognizedFile }) {
  const lines = describeRecognized(useVisit().language, recognized);
  if (lines.length === 0) return null;
  return (
    <ul>
      {lines.map((line) => (
        <li>
          <bdi>{line}</bdi>
        </li>
      ))}
    </ul>
  );
}

function Rows({ rows }: { rows: readonly InputRow[] }) {
  const words = useVisit().words.importPages;
  const columns = [
    ...new Set(rows.flatMap((row) => ("fields" in row ? Object.keys(row.fields) : []))),
  ];
  return (
    <Scroll label={words.firstRows}>
      <table class="data">
        <thead>
          <tr>
            <th scope="col">{words.line}</th>
            {columns.map((column) => (
              <th scope="col">
                <code>{column}</code>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <th scope="row">{row.line}</th>
              {"fault" in row ? (
                <td colspan={Math.max(1, columns.length)}>
                  <bdi>{told(row.fault)}</bdi>
                </td>
              ) : (
                columns.map((column) => (
                  <td>
                    <bdi>{shownCell(row.fields[column])}</bdi>
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function shownCell(value: unknown): string {
  if (value === undefined) return "";
  return shortened(typeof value === "string" ? value : stringifyExact(value));
}
