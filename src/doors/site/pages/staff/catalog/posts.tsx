/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { HtmlEscapedString } from "hono/utils/html";
import type {
  PostsFound as Found,
  PostsRequest,
} from "../../../../../catalog/posts/manage-posts.ts";
import type { PostRecord } from "../../../../../catalog/posts/post.ts";
import { AppError } from "../../../../../errors.ts";
import { parseNumber } from "../../../../../values/parse-number.ts";
import { shortened } from "../../../../../values/shortened.ts";
import { pageError } from "../../../forms/faults.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { DataTable } from "../../../look/data-table.tsx";
import { Done } from "../../../look/done.tsx";
import { ImportLink } from "../../../look/import-link.tsx";
import { withoutMarks } from "../../../look/post-excerpt.tsx";
import { RowFaults, sentNumber, withoutForm } from "../../../look/row-actions.tsx";
import { Instant } from "../../../look/shown.tsx";
import type { PartProps, SiteContext } from "../../../site-context.ts";
import type { SitePage } from "../../../site-pages.ts";
import { orRefusal } from "../../../visit/look-up.ts";
import { asset } from "../../../visit/site-path.ts";
import { page, redirect, type View } from "../../../visit/view.ts";
import { actorOf } from "../../../visit/viewer.ts";
import type { Visit } from "../../../visit/visit.ts";
import { withQuery } from "../console.tsx";
import { FindForm } from "./find-form.tsx";

const SHOWN = 20;
const TEXT_SHOWN = 300;

/** `/staff/posts/`: posts of all channels, found by number or by part of their text. */
export const staffPostsPage: SitePage = {
  path: "/staff/posts/",
  access: "staff",
  show: (visit, context) =>
    page(
      visit.words.staffCatalog.posts,
      <>
        <Done visit={visit} words={visit.words.staffCatalog.done} />
        <PostsFound visit={visit} context={context} channelId={null} />
      </>,
    ),
  actions: { "take-down": takeDown },
};

/** Posts of one channel, or of all, with the form for finding them. */
export async function PostsFound({
  visit,
  context,
  channelId,
}: PartProps & {
  channelId: number | null;
}): Promise<HtmlEscapedString> {
  const words = visit.words.staffCatalog;
  const text = (visit.query.get("q") ?? "").trim();
  const request = { channelId, text, after: positionOf(visit), limit: SHOWN };
  const found = await orRefusal(foundOf(request, context));
  const isSlow = found instanceof AppError;
  return (
    <>
      <FindForm
        visit={visit}
        label={channelId === null ? words.findPosts : words.findInChannel}
        fault={isSlow ? words.slow : null}
      />
      <RowFaults visit={visit} actions={["take-down"]} />
      {!isSlow && <Table visit={visit} found={found} isOfOne={channelId !== null} />}
    </>
  );
}

/** The post with the number precedes those that contain its digits. */
async function foundOf(request: PostsRequest, { posts }: SiteContext): Promise<Found> {
  const { text, after, channelId } = request;
  const found = await posts.found(request);
  const id = parseNumber(text);
  if (after !== null || id === null) return found;
  const [named] = posts.known([id]);
  if (named === undefined || (channelId !== null && named.channel !== channelId)) return found;
  return { ...found, posts: [named, ...found.posts.filter((post) => post.id !== id)] };
}

/** Says that a search found nothing, or without a search, that posts must be imported first. */
function NoPosts({ visit, isOfOne }: { visit: Visit; isOfOne: boolean }): JSX.Element {
  const isSearched = (visit.query.get("q") ?? "").trim() !== "";
  return (
    <p class="empty">
      {isSearched ? visit.words.staffCatalog.noPosts : visit.words.nothingYet}{" "}
      {!isSearched && !isOfOne && <ImportLink visit={visit} />}
    </p>
  );
}

function Table({
  visit,
  found: { posts, next },
  isOfOne,
}: {
  visit: Visit;
  found: Found;
  isOfOne: boolean;
}): JSX.Element {
  const words = visit.words.staffCatalog;
  if (posts.length === 0) return <NoPosts visit={visit} isOfOne={isOfOne} />;
  return (
    <>
      <DataTable
        label={words.posts}
        columns={[
          `#${words.post}`,
          ...(isOfOne ? [] : [`#${words.channel}`]),
          ...[words.published, words.text, visit.words.staffPages.actions],
        ]}
      >
        {posts.map((post) => (
          <Row visit={visit} post={post} isOfOne={isOfOne} />
        ))}
      </DataTable>
      {next !== null && (
        <p class="row">
          <a href={withQuery(visit, { after: next.join("-") })} rel="next">
            {words.next}
          </a>
        </p>
      )}
    </>
  );
}

function Row({
  visit,
  post: { id, channel, published_at, text },
  isOfOne,
}: {
  visit: Visit;
  post: PostRecord;
  isOfOne: boolean;
}): JSX.Element {
  const words = visit.words.staffCatalog;
  return (
    <tr>
      <th scope="row" class="number">
        {id}
      </th>
      {!isOfOne && (
        <td class="number">
          <a href={asset(visit, `/staff/channels/${channel}/`)}>{channel}</a>
        </td>
      )}
      <td>
        <Instant visit={visit} at={published_at} />
      </td>
      <td class="long">
        <bdi>{text === "" ? words.noText : withoutMarks(shortened(text, TEXT_SHOWN))}</bdi>
      </td>
      <td>
        <ActionButton
          visit={withoutForm(visit)}
          action="take-down"
          label={words.takeDown}
          description={String(id)}
          fields={{ post: id }}
          confirm={words.takeDownQuestion(String(id))}
          danger
        />
      </td>
    </tr>
  );
}

/** Takes a post down; on a channel's page, only one of that channel. */
export async function takeDown(visit: Visit, { posts }: SiteContext): Promise<View> {
  const id = sentNumber(visit, "post");
  const ofChannel = visit.params["id"];
  const [post] = posts.known([id]);
  const isShown =
    post !== undefined && (ofChannel === undefined || Number(ofChannel) === post.channel);
  const deleted = isShown ? await posts.delete([id], actorOf(visit)) : 0;
  if (deleted === 0) throw pageError("not_found", visit.words.staffCatalog.noSuchPost);
  const query = new URLSearchParams(visit.query);
  query.set("done", "taken-down");
  return redirect(`${visit.path.split("?")[0]}?${query}`);
}

/** The position in the query, such as `1763000000000-7`; null for any other text. */
function positionOf({ query }: Visit): PostsRequest["after"] {
  const [, at, id] = /^(\d{1,15})-(\d{1,15})$/.exec(query.get("after") ?? "") ?? [];
  return at === undefined || id === undefined ? null : [Number(at), Number(id)];
}
