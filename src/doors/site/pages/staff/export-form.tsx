/** @jsxImportSource hono/jsx */
import { EXPORT_TYPES } from "../../../../catalog/exports/export-selection.ts";
import { IMPORT_KIND_NAMES } from "../../../../catalog/imports/kinds/import-kinds.ts";
import { IMPORT_FORMATS } from "../../../../catalog/imports/reading/import-format.ts";
import { fileStamp } from "../../../../values/moscow-time.ts";
import { readFields, requiredChoice } from "../../forms/faults.ts";
import { CheckField, Form, SelectField, TextField } from "../../look/form.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import type { View } from "../../visit/view.ts";
import { currentActor } from "../../visit/viewer.ts";
import { KindField } from "./kind-field.tsx";

/** The form with which staff download rows; submitted with a token because it keeps the appliance busy. */
export function ExportForm() {
  const { exportPages: words } = useVisit().words;
  const day = { type: "date", hint: words.dayHint, required: false };
  return (
    <Form action="export" submit={words.download} words={words}>
      <p>{words.intro}</p>
      <KindField />
      <SelectField name="format" value="csv" options={IMPORT_FORMATS} names={words.formats} />
      <TextField {...day} name="from" />
      <TextField {...day} name="to" />
      <TextField name="channel" required={false} />
      <CheckField name="gzip" />
      <CheckField name="raw" />
    </Form>
  );
}

/** Answers the form with the file, produced as fast as the browser reads it. */
export async function startExport(): Promise<View> {
  const visit = useVisit();
  const { config, downloads } = useSite();
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
  const body = await downloads.start(request, currentActor());
  const fileName = `${kind}-${fileStamp(visit.nowMs)}.${format}`;
  if (!form.isChecked("gzip"))
    return { kind: "download", fileName, type: EXPORT_TYPES[format], body };
  const packed = body.pipeThrough<Uint8Array>(new CompressionStream("gzip") as never);
  return {
    kind: "download",
    fileName: `${fileName}.gz`,
    type: "application/gzip",
    body: packed,
  };
}
