/** @jsxImportSource hono/jsx */
import type { ImportKindName } from "../../../../catalog/imports/kinds/import-kinds.ts";
import { stringifyExact } from "../../../../catalog/imports/reading/json-rows.ts";
import {
  describeRecognized,
  type InputRow,
  type Recognized as RecognizedFile,
} from "../../../../catalog/imports/reading/recognized.ts";
import type { NewUpload, UploadPreview } from "../../../../catalog/imports/runs/upload-files.ts";
import { AppError } from "../../../../errors.ts";
import { shortened } from "../../../../values/fields.ts";
import type { Resource } from "../../../../verbs/operator/resource.ts";
import { cutFaults } from "../../forms/faults.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { Scroll } from "../../look/data-table.tsx";
import { told } from "../../look/shown.tsx";
import { VerbFields } from "../../look/verb-form.tsx";
import { asset, useVisit, type Visit } from "../../visit/visit.ts";

/** Options for reading a file: those of `kanalog import`, seldom needed. */
export function ReadingFields(of: { resource: Resource; verb: string }) {
  const { faults, words } = useVisit();
  return (
    <details open={faults["map"] !== undefined || faults["timezone"] !== undefined}>
      <summary>{words.importPages.reading}</summary>
      <VerbFields {...of} fields={["from", "map", "ignore_unknown", "timezone", "strict"]} />
    </details>
  );
}

/** Most columns that the form lists. */
const TO_NAME_MAX = 100;

/**
 * The form again, listing the header's unknown columns, one per line with a guess, to be named or left out;
 * null for any other error.
 */
export function withColumnsToName({ kind, options }: NewUpload, error: unknown): Visit | null {
  const visit = useVisit();
  if (!(error instanceof AppError) || error.publicMessage.code !== "unknownColumnsInHeader")
    return null;
  const { form } = visit;
  const words = visit.words.importPages;
  const names = error.publicMessage.values.unknown.slice(0, TO_NAME_MAX).map(String);
  const guessed = guessColumns(kind, names, Object.values(options.reading.map));
  const lines = names.map((name, at) => `${name}=${guessed[at]}`);
  const map = [form.get("map").trim(), ...lines].join("\n").trim();
  return {
    ...visit,
    form: { ...form, get: (name) => (name === "map" ? map : form.get(name)) },
    faults: {
      file: [words.nameColumns],
      ...cutFaults({ map: [told(error.publicMessage), words.rowNeeds[kind]] }),
    },
  };
}

const CHANNEL = ["канал", "ссылк", "юзернейм", "username", "channel", "url"];
const SUBSCRIBERS = ["подписч", "участник", "members", "followers"];
const VIEWS = ["просмотр", "views"];
const POSTS = ["пост", "публикац"];
const DAY = ["дат", "день", "date"];

/** Prefixes of names that people give columns, in either language; the first match counts. */
const PREFIXES: Partial<Record<ImportKindName, Record<string, readonly string[]>>> = {
  channels: {
    title: ["назв", "имя", "name"],
    handle: CHANNEL,
    subscribers: SUBSCRIBERS,
    category: ["катег", "темат", "тема", "topic"],
    territory: ["террит", "регион", "город", "region", "city"],
    description: ["описан", "about"],
  },
  stats: { channel: CHANNEL, day: DAY, subscribers: SUBSCRIBERS, views: VIEWS, posts: POSTS },
  posts: {
    msgr_post_id: ["post_id", "message_id", "id пост", "номер"],
    channel: CHANNEL,
    published_at: [...DAY, "врем", "опублик"],
    text: ["текст", "сообщ", "text", "message"],
    views: VIEWS,
  },
};

/**
 * Guesses a kind's columns from a file's own names, for a person to check; empty where nothing matches.
 * @param taken columns that other names already stand for
 */
function guessColumns(
  kind: ImportKindName,
  names: readonly string[],
  taken: readonly string[],
): string[] {
  const left = new Map(Object.entries(PREFIXES[kind] ?? {}));
  for (const column of taken) left.delete(column);
  return names.map((name) => {
    const lower = name.trim().toLowerCase();
    const found = [...left].find(([, prefixes]) =>
      prefixes.some((prefix) => lower.startsWith(prefix)),
    );
    if (found === undefined) return "";
    left.delete(found[0]);
    return found[0];
  });
}

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
