/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { IMPORT_KIND_NAMES } from "../../../../catalog/imports/kinds/import-kinds.ts";
import {
  IMPORT_FORMATS,
  type ImportFormat,
} from "../../../../catalog/imports/reading/import-format.ts";
import { fileStamp } from "../../../../values/moscow-time.ts";
import { readFields, requiredChoice } from "../../forms/faults.ts";
import { CheckField, Form, SelectField, TextField } from "../../look/form.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { View } from "../../visit/view.ts";
import { actorOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { KindField } from "./kind-field.tsx";

const TYPES: Record<ImportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson",
};

/** The form with which staff download rows; submitted with a token because it keeps the appliance busy. */
export function ExportForm({ visit }: { visit: Visit }): JSX.Element {
  const { exportPages: words } = visit.words;
  const field = { visit, action: "export" };
  const day = { type: "date", hint: words.dayHint, required: false };
  return (
    <Form visit={visit} action="export">
      <p>{words.intro}</p>
      <KindField {...field} />
      <SelectField
        {...field}
        name="format"
        label={words.format}
        value="csv"
        options={IMPORT_FORMATS.map((value) => ({ value, label: words.formats[value] }))}
      />
      <TextField {...field} {...day} name="from" label={words.from} />
      <TextField {...field} {...day} name="to" label={words.to} />
      <TextField
        {...field}
        name="channel"
        label={words.channel}
        hint={words.channelHint}
        required={false}
      />
      <CheckField {...field} name="gzip" label={words.gzip} />
      <CheckField {...field} name="raw" label={words.raw} hint={words.rawHint} />
      <button type="submit">{words.download}</button>
    </Form>
  );
}

/** Answers the form with the file, produced as fast as the browser reads it. */
export async function startExport(visit: Visit, { config, downloads }: SiteContext): Promise<View> {
  const { form } = visit;
  const { kind, format } = await readFields({
    kind: () => requiredChoice(IMPORT_KIND_NAMES, form.get("kind")),
    format: () => requiredChoice(IMPORT_FORMATS, form.get("format")),
  });
  const given = (name: string): string => form.get(name).trim();
  const request = {
    kind,
    format,
    isRaw: form.isChecked("raw"),
    hosts: config.messengerHosts,
    openDays: config.statisticsOpenDays,
    from: given("from"),
    to: given("to"),
    channel: given("channel"),
  };
  const body = await downloads.start(request, actorOf(visit));
  const fileName = `${kind}-${fileStamp(visit.nowMs)}.${format}`;
  if (!form.isChecked("gzip")) return { kind: "download", fileName, type: TYPES[format], body };
  const packed = body.pipeThrough<Uint8Array>(new CompressionStream("gzip") as never);
  return {
    kind: "download",
    fileName: `${fileName}.gz`,
    type: "application/gzip",
    body: packed,
  };
}
