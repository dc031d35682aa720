/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import {
  CHANNEL_FIELD_NAMES,
  CHANNEL_FIELDS,
  type ChannelField,
  splitBySpaces,
} from "../../../../../catalog/channels/card.ts";
import type { ManagedChannel } from "../../../../../catalog/manage/manage-channels.ts";
import { channels } from "../../../../../verbs/operator/channels.ts";
import { backTo, verbAction } from "../../../forms/verb-action.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { Done } from "../../../look/done.tsx";
import { Facts } from "../../../look/facts.tsx";
import { Instant, shownNumber } from "../../../look/shown.tsx";
import { UserBlock, UserLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { asset } from "../../../visit/site-path.ts";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { page, redirect, type View } from "../../../visit/view.ts";
import { currentActor } from "../../../visit/viewer.ts";
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
        <h2>{words.posts}</h2>
        <PostsFound channelId={channel.id} />
      </>,
    );
  },
  actions: {
    edit,
    hide: verbAction(channels, "hide", backTo("/staff/channels/", "hidden")),
    unhide: verbAction(channels, "unhide", backTo("/staff/channels/", "unhidden")),
    delete: verbAction(channels, "delete", () => redirect("/staff/channels/?done=deleted")),
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
    [words.posts, shownNumber(channel.posts)],
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
  const words = useVisit().words.staffCatalog;
  const { id, handle, title, posts, days, webhooks } = channel;
  const names = [words.quotedTitle(title), handle === null ? "" : `@${handle}`, words.numbered(id)];
  const question = words.deleteQuestion(
    names.filter(Boolean).join(", "),
    ...([posts, days, webhooks].map((count) => shownNumber(count)) as [string, string, string]),
  );
  return <ActionButton action="delete" label={words.delete} confirm={question} danger />;
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
