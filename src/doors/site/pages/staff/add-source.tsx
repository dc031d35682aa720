/** @jsxImportSource hono/jsx */
import { IMPORT_KIND_NAMES } from "../../../../catalog/imports/kinds/import-kinds.ts";
import { nameOfAddress } from "../../../../catalog/sources/source-address.ts";
import { NAME_LENGTH_MAX } from "../../../../catalog/sources/source-changes.ts";
import { readHeader } from "../../../../catalog/sources/source-header.ts";
import { pageFault, readFields, requiredChoice } from "../../forms/faults.ts";
import { Form, TextField } from "../../look/form.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { redirect, type View } from "../../visit/view.ts";
import { currentActor } from "../../visit/viewer.ts";
import { ReadingFields, readingOf, readMap, readTimezone } from "./import-reading.tsx";
import { KindField } from "./kind-field.tsx";

/** The form of a new pull. */
export function AddSourceForm() {
  const words = useVisit().words.sourcePages;
  return (
    <Form action="import" words={words}>
      <KindField />
      <TextField name="url" type="url" />
      <TextField name="schedule" value="15m" />
      <TextField name="name" required={false} />
      <TextField name="header" type="password" autocomplete="off" required={false} />
      <ReadingFields />
      <p>
        <button type="submit">{words.add}</button>
      </p>
    </Form>
  );
}

/** Adds a pull; a folder of the machine can only be added by the operator, on the command line. */
export async function addSource(): Promise<View> {
  const { sources } = useSite();
  const { form } = useVisit();
  const { kind, map, timezone, header } = await readFields({
    kind: () => requiredChoice(IMPORT_KIND_NAMES, form.get("kind")),
    map: () => readMap(),
    timezone: () => readTimezone(),
    header: () => headersOf(),
  });
  const url = form.get("url").trim();
  const name = form.get("name").trim() || nameOfAddress(url, NAME_LENGTH_MAX);
  const reading = readingOf(map);
  const strict = form.isChecked("strict");
  await sources.add(
    {
      name,
      headers: header,
      schedule: form.get("schedule").trim(),
      settings: { kind: "pull", url, rows: kind, reading, timezone, strict },
    },
    currentActor(),
  );
  return redirect("/staff/sources/?done=added");
}

/** @throws AppError `invalid` */
function headersOf(): Record<string, string> {
  const { form, words } = useVisit();
  const text = form.get("header");
  const header = text.trim() === "" ? {} : readHeader(text);
  if (header === null) throw pageFault("header", words.sourcePages.wrongHeader);
  return header;
}
