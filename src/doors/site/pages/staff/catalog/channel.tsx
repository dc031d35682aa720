/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import { splitBySpaces } from "../../../../../catalog/channels/card.ts";
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
import { idOf } from "../console.tsx";
import { EDIT_BYTES_MAX, EditForm, editedCells } from "./channel-form.tsx";
import { PostsFound, takeDown } from "./posts.tsx";

/** `/staff/channels/3/`: a channel as stored, with its posts; it can be edited, hidden and deleted. */
export const staffChannelPage: SitePage = {
  path: "/staff/channels/:id/",
  access: "staff",
  formBytesMax: EDIT_BYTES_MAX,
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
  const { fields } = words;
  const orNone = (text: string | null) => (text === null ? words.none : <bdi>{text}</bdi>);
  const link = (address: string | null) =>
    address === null ? words.none : <UserLink address={address} />;
  const index = (value: number | null) => (value === null ? words.none : shownNumber(visit, value));
  const mark = (flag: number) => visit.words.staffPages[flag === 1 ? "yes" : "no"];
  const handles = splitBySpaces(channel.former_handles).map((handle) => `@${handle}`);
  const rows: [string, Child][] = [
    [visit.words.staffPages.number, channel.id],
    [words.state, channel.is_public === 1 ? words.public : words.hidden],
    [fields.handle, channel.handle === null ? words.none : <bdi>@{channel.handle}</bdi>],
    [words.formerHandles, handles.length === 0 ? words.none : <bdi>{handles.join(", ")}</bdi>],
    [fields.msgr_id, orNone(channel.msgr_id)],
    [fields.kind, visit.words.explorerPages.oneKind[channel.kind]],
    [fields.subscribers, shownNumber(visit, channel.subscribers)],
    [fields.category, orNone(channel.category)],
    [fields.categories, channel.categories || words.none],
    [fields.territory, orNone(channel.territory)],
    [fields.a_plus, mark(channel.a_plus)],
    [fields.verified, mark(channel.verified)],
    [fields.quality, index(channel.quality)],
    [fields.citation, index(channel.citation)],
    [fields.link, link(channel.link)],
    [fields.image, link(channel.image)],
    [words.lastPost, <Instant visit={visit} at={channel.last_post_at} />],
    [words.posts, shownNumber(visit, channel.posts)],
    [words.days, shownNumber(visit, channel.days)],
    [words.watchedBy, shownNumber(visit, channel.webhooks)],
    [
      fields.description,
      channel.description === null ? words.none : <UserBlock text={channel.description} />,
    ],
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

function channelOf({ params }: Visit, { channels }: SiteContext): ManagedChannel {
  return channels.channel(idOf(params["id"] ?? ""));
}
