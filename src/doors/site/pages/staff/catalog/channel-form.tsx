/** @jsxImportSource hono/jsx */

import {
  CHANNEL_FIELDS,
  type ChannelRecord,
  fieldsShownAs,
  writtenChannel,
} from "../../../../../catalog/channels/card.ts";
import { CHANNEL_KINDS } from "../../../../../catalog/channels/channel-kind.ts";
import type { Directory } from "../../../../../catalog/directory/directory.ts";
import {
  type ChannelEdit,
  EDITED_FIELDS,
  type EditedField,
} from "../../../../../catalog/manage/channel-changes.ts";
import { takesForm } from "../../../../../values/takes.ts";
import { CheckField, Form, SelectField, TextAreaField, TextField } from "../../../look/form.tsx";
import { withoutUnshown } from "../../../look/unshown.ts";
import { useVisit } from "../../../visit/use-visit.ts";

/**
 * Room for a description of 10,000 characters, twice, at six or more percent-encoded bytes per character.
 */
export const EDIT_FORM = takesForm(256 * 1024);
const MARKS: readonly EditedField[] = fieldsShownAs("mark");

/** The fields of a channel, each with its value when the form was rendered. */
export function EditForm({ channel, directory }: { channel: ChannelRecord; directory: Directory }) {
  const visit = useVisit();
  const words = visit.words.staffCatalog;
  const stored = cellsOf(channel);
  // Faults are corrected in the same form, which keeps its original values.
  const isAgain = visit.form.get("action") === "edit";
  return (
    <Form action="edit" submit={visit.words.save}>
      <p>{words.editText}</p>
      {EDITED_FIELDS.map((name) => (
        <>
          <input
            type="hidden"
            name={`before-${name}`}
            value={isAgain ? visit.form.get(`before-${name}`) : stored[name]}
          />
          <Field name={name} value={stored[name]} directory={directory} />
        </>
      ))}
    </Form>
  );
}

function Field({
  name,
  value,
  directory,
}: {
  name: EditedField;
  value: string;
  directory: Directory;
}) {
  const visit = useVisit();
  const words = visit.words.staffCatalog;
  const hint = words.hints[name];
  const field = { name, label: visit.words.channelFields[name], value };
  const all = { ...field, ...(hint !== undefined && { hint }) };
  if (MARKS.includes(name)) return <CheckField {...all} />;
  if (name === "description") return <TextAreaField {...all} rows={6} required={false} />;
  if (name === "kind") {
    const { oneKind } = visit.words.explorerPages;
    const options = CHANNEL_KINDS.map((kind) => ({ value: kind, label: oneKind[kind] }));
    return <SelectField {...all} options={options} />;
  }
  if (name === "category") {
    const options = directory.categories().map(({ slug, name: label }) => ({ value: slug, label }));
    return <SelectField {...all} options={[{ value: "", label: words.none }, ...options]} />;
  }
  return <TextField {...all} required={CHANNEL_FIELDS[name].initial === undefined} />;
}

/**
 * The cells that were changed in the form. Others keep their stored values, because a source may have
 * updated them since the form was rendered.
 */
export function editedCells(): ChannelEdit["cells"] {
  const { form } = useVisit();
  const changed = EDITED_FIELDS.flatMap((name) => {
    const given = plain(form.get(name));
    const cell = MARKS.includes(name) && given === "" ? "no" : given;
    return cell === plain(form.get(`before-${name}`)) ? [] : [[name, cell]];
  });
  return Object.fromEntries(changed);
}

/**
 * A text as a browser's field returns it: without the characters that pages remove, and with one kind of
 * line breaks.
 */
function plain(text: string): string {
  return withoutUnshown(text.replace(/\r\n?/g, "\n")).trim();
}

/** A channel's fields as cells. */
function cellsOf(channel: ChannelRecord): Record<EditedField, string> {
  const written = writtenChannel(channel);
  const cells = EDITED_FIELDS.map((name) => {
    const value = written[name];
    if (MARKS.includes(name)) return [name, value === true ? "yes" : "no"];
    return [name, Array.isArray(value) ? value.join(" ") : String(value ?? "")];
  });
  return Object.fromEntries(cells);
}
