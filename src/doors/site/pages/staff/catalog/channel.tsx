/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import {
  CHANNEL_FIELD_NAMES,
  CHANNEL_FIELDS,
  type ChannelField,
  splitBySpaces,
} from "../../../../../catalog/channels/card.ts";
import type { ManagedChannel } from "../../../../../catalog/manage/manage-channels.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { Done } from "../../../look/done.tsx";
import { Facts } from "../../../look/facts.tsx";
import { Instant, shownNumber } from "../../../look/shown.tsx";
import { UserBlock, UserLink } from "../../../look/user-text.tsx";
import type { SiteContext } from "../../../site-context.ts";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import { page, redirect, type View } from "../../../visit/view.ts";
import { actorOf } from "../../../visit/viewer.ts";
import type { Visit } from "../../../visit/visit.ts";
import { addressedId } from "../console.tsx";
import { EDIT_FORM, EditForm, editedCells } from "./channel-form.tsx";
import { PostsFound, takeDown } from "./posts.tsx";

/** `/staff/channels/3/`: a channel as stored, with its posts; it can be edited, hidden and deleted. */
export const staffChannelPage: SitePage = {
  path: "/staff/channels/:id/",
  access: "staff",
  takes: EDIT_FORM,
  async show(visit, context) {
    const words = visit.words.staffCatalog;
    const channel = channelOf(visit, context);
    return page(
      channel.title,
      <>
        <Done visit={visit} words={visit.words.staffCatalog.done} />
        <Stored visit={visit} channel={channel} />
        <details class="folded" open={visit.form.get("action") === "edit"}>
          <summary>{words.edit}</summary>
          <EditForm visit={visit} channel={channel} directory={context.services.directory} />
        </details>
        <PublicButton visit={visit} channel={channel} />
        <DeleteButton visit={visit} channel={channel} />
        <h2>{words.posts}</h2>
        <PostsFound visit={visit} context={context} channelId={channel.id} />
      </>,
    );
  },
  actions: {
    edit,
    hide: (visit, context) => setPublic(visit, context, false),
    unhide: (visit, context) => setPublic(visit, context, true),
    delete: deleteChannel,
    "take-down": takeDown,
  },
};

interface Props {
  visit: Visit;
  channel: ManagedChannel;
}

function Stored({ visit, channel }: Props): JSX.Element {
  const words = visit.words.staffCatalog;
  const rows: [string, Child][] = [
    ...CHANNEL_FIELD_NAMES.map((name): [string, Child] => [
      visit.words.channelFields[name],
      storedValue(visit, channel, name),
    ]),
    [words.posts, shownNumber(visit, channel.posts)],
    [words.days, shownNumber(visit, channel.days)],
    [words.watchedBy, shownNumber(visit, channel.webhooks)],
  ];
  return (
    <section aria-labelledby="stored" class="card">
      <h2 id="stored">{words.asStored}</h2>
      <Facts facts={rows} />
      {channel.is_public === 1 && visit.membership !== null && (
        <p class="row">
          <a href={asset(visit, `/account/channels/${channel.id}/`)}>{words.customersPage}</a>
        </p>
      )}
    </section>
  );
}

/** A field's value, shown as its declaration says if this page does not have a form of its own for it. */
function storedValue(visit: Visit, channel: ManagedChannel, name: ChannelField): Child {
  const { explorerPages, staffCatalog: words, staffPages } = visit.words;
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
  if (shownAs === "moment") return <Instant visit={visit} at={Number(value)} />;
  if (shownAs === "link") return <UserLink address={text} />;
  if (shownAs === "text") return <UserBlock text={text} />;
  return typeof value === "number" ? shownNumber(visit, value) : <bdi>{text}</bdi>;
}

function PublicButton({ visit, channel }: Props): JSX.Element {
  const words = visit.words.staffCatalog;
  const isPublic = channel.is_public === 1;
  return (
    <div class={isPublic ? "row others" : "row"}>
      <ActionButton
        visit={visit}
        action={isPublic ? "hide" : "unhide"}
        label={isPublic ? words.hide : words.unhide}
      />
      <small>{isPublic ? words.hideText : words.unhideText}</small>
    </div>
  );
}

function DeleteButton({ visit, channel }: Props): JSX.Element {
  const words = visit.words.staffCatalog;
  const { id, handle, title, posts, days, webhooks } = channel;
  const names = [words.quotedTitle(title), handle === null ? "" : `@${handle}`, words.numbered(id)];
  const question = words.deleteQuestion(
    names.filter(Boolean).join(", "),
    ...([posts, days, webhooks].map((count) => shownNumber(visit, count)) as [
      string,
      string,
      string,
    ]),
  );
  return (
    <ActionButton visit={visit} action="delete" label={words.delete} confirm={question} danger />
  );
}

async function edit(visit: Visit, context: SiteContext): Promise<View> {
  const { id } = channelOf(visit, context);
  const isChanged = await context.channels.edit({ id, cells: editedCells(visit) }, actorOf(visit));
  return redirect(`/staff/channels/${id}/?done=${isChanged ? "edited" : "unchanged"}`);
}

async function setPublic(visit: Visit, context: SiteContext, isPublic: boolean): Promise<View> {
  const { id } = channelOf(visit, context);
  await context.channels.setPublic(id, isPublic, actorOf(visit));
  return redirect(`/staff/channels/${id}/?done=${isPublic ? "unhidden" : "hidden"}`);
}

async function deleteChannel(visit: Visit, context: SiteContext): Promise<View> {
  const { id } = channelOf(visit, context);
  await context.channels.delete(id, actorOf(visit));
  return redirect("/staff/channels/?done=deleted");
}

function channelOf(visit: Visit, { channels }: SiteContext): ManagedChannel {
  return channels.numbered(addressedId(visit));
}
