/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import {
  CHANNEL_FIELD_NAMES,
  CHANNEL_FIELDS,
  type ChannelField,
  type ChannelRecord,
  fieldsShownAs,
  splitBySpaces,
  writtenChannel,
} from "../../../../../catalog/channels/card.ts";
import { CHANNEL_KINDS } from "../../../../../catalog/channels/channel-reference.ts";
import type { Directory } from "../../../../../catalog/directory/directory.ts";
import type { ChannelEdit, EditedField } from "../../../../../catalog/manage/channel-changes.ts";
import { EDITED_FIELDS } from "../../../../../catalog/manage/channel-changes.ts";
import type { ManagedChannel } from "../../../../../catalog/manage/manage-channels.ts";
import { takesForm } from "../../../../../values/takes.ts";
import { channels } from "../../../../../verbs/operator/data/channels.ts";
import { verbAction } from "../../../forms/verb-action.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { CheckField, Form, SelectField, TextAreaField, TextField } from "../../../look/form.tsx";
import { Instant, shownNumber, withoutUnshown } from "../../../look/shown.tsx";
import { Done, Facts, UserBlock, UserLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { currentActor } from "../../../visit/viewer.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../../visit/visit.ts";
import { addressedId } from "../console.tsx";
import { PostsFound, takeDown } from "./posts.tsx";

/**
 * Room for a description of 10,000 characters, twice, at six or more percent-encoded bytes per character.
 */
const EDIT_FORM = takesForm(256 * 1024);
const MARKS: readonly EditedField[] = fieldsShownAs("mark");

/** The fields of a channel, each with its value when the form was rendered. */
function EditForm({ channel, directory }: { channel: ChannelRecord; directory: Directory }) {
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
  const { staffCatalog: words, channelFields, explorerPages } = useVisit().words;
  const hint = words.hints[name];
  const field = { name, label: channelFields[name], value };
  const all = { ...field, ...(hint !== undefined && { hint }) };
  if (MARKS.includes(name)) return <CheckField {...all} />;
  if (name === "description") return <TextAreaField {...all} rows={6} required={false} />;
  if (name === "kind") {
    const { oneKind } = explorerPages;
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
function editedCells(): ChannelEdit["cells"] {
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

function cellsOf(channel: ChannelRecord): Record<EditedField, string> {
  const written = writtenChannel(channel);
  const cells = EDITED_FIELDS.map((name) => {
    const value = written[name];
    if (MARKS.includes(name)) return [name, value === true ? "yes" : "no"];
    return [name, Array.isArray(value) ? value.join(" ") : String(value ?? "")];
  });
  return Object.fromEntries(cells);
}

/** `/staff/channels/3/`: a channel as stored, with its posts; it can be edited, hidden and deleted. */
export const staffChannelPage: SitePage = {
  path: "/staff/channels/:id/",
  access: "staff",
  takes: EDIT_FORM,
  async show(visit, context) {
    const words = visit.words.staffCatalog;
    const channel = channelOf();
    return page(
      channel.title,
      <>
        <Done words={visit.words.staffCatalog.done} />
        <Stored channel={channel} />
        <details class="folded" open={visit.form.get("action") === "edit"}>
          <summary>{words.edit}</summary>
          <EditForm channel={channel} directory={context.services.directory} />
        </details>
        <PublicButton channel={channel} />
        <DeleteButton channel={channel} />
        <h2>{visit.words.posts}</h2>
        <PostsFound channelId={channel.id} />
      </>,
    );
  },
  actions: {
    edit,
    hide: verbAction(channels, "hide"),
    unhide: verbAction(channels, "unhide"),
    delete: verbAction(channels, "delete", {
      shows: () => redirect("/staff/channels/?done=deleted"),
    }),
    "take-down": takeDown,
  },
};

interface Props {
  channel: ManagedChannel;
}

function Stored({ channel }: Props) {
  const visit = useVisit();
  const words = visit.words.staffCatalog;
  const rows: [string, Child][] = [
    ...CHANNEL_FIELD_NAMES.map((name): [string, Child] => [
      visit.words.channelFields[name],
      storedValue(channel, name),
    ]),
    [visit.words.posts, shownNumber(channel.posts)],
    [words.days, shownNumber(channel.days)],
    [words.watchedBy, shownNumber(channel.webhooks)],
  ];
  return (
    <section aria-labelledby="stored" class="card">
      <h2 id="stored">{words.asStored}</h2>
      <Facts facts={rows} />
      {channel.is_public === 1 && visit.membership !== null && (
        <p class="row">
          <a href={asset(`/account/channels/${channel.id}/`)}>{words.customersPage}</a>
        </p>
      )}
    </section>
  );
}

/** A field's value, shown as its declaration says if this page does not have a form of its own for it. */
function storedValue(channel: ManagedChannel, name: ChannelField): Child {
  const { explorerPages, staffCatalog: words, staffPages } = useVisit().words;
  const value = channel[name];
  if (value === null || value === "") return words.none;
  const text = String(value);
  if (name === "id") return text;
  if (name === "is_public") return value === 1 ? words.public : words.hidden;
  if (name === "kind") return explorerPages.oneKind[channel.kind];
  if (name === "handle" || name === "former_handles") {
    const handles = splitBySpaces(text).map((handle) => `@${handle}`);
    return <bdi>{handles.join(", ")}</bdi>;
  }
  const { shownAs } = CHANNEL_FIELDS[name];
  if (shownAs === "mark") return staffPages[value === 1 ? "yes" : "no"];
  if (shownAs === "moment") return <Instant at={Number(value)} />;
  if (shownAs === "link") return <UserLink address={text} />;
  if (shownAs === "text") return <UserBlock text={text} />;
  return typeof value === "number" ? shownNumber(value) : <bdi>{text}</bdi>;
}

function PublicButton({ channel }: Props) {
  const words = useVisit().words.staffCatalog;
  const isPublic = channel.is_public === 1;
  return (
    <div class={isPublic ? "row others" : "row"}>
      <ActionButton
        action={isPublic ? "hide" : "unhide"}
        label={isPublic ? words.hide : words.unhide}
      />
      <small>{isPublic ? words.hideText : words.unhideText}</small>
    </div>
  );
}

function DeleteButton({ channel }: Props) {
  const { staffCatalog: words, remove } = useVisit().words;
  const { id, handle, title, posts, days, webhooks } = channel;
  const names = [words.quotedTitle(title), handle === null ? "" : `@${handle}`, words.numbered(id)];
  const question = words.deleteQuestion(
    names.filter(Boolean).join(", "),
    ...([posts, days, webhooks].map((count) => shownNumber(count)) as [string, string, string]),
  );
  return <ActionButton action="delete" label={remove} confirm={question} danger />;
}

async function edit(): Promise<View> {
  const { id } = channelOf();
  const isChanged = await useSite().channels.edit({ id, cells: editedCells() }, currentActor());
  return redirect(`/staff/channels/${id}/?done=${isChanged ? "edited" : "unchanged"}`);
}

function channelOf(): ManagedChannel {
  const { channels } = useSite();
  return channels.numbered(addressedId());
}
