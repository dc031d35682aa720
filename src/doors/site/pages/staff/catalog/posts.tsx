/** @jsxImportSource hono/jsx */
import type {
  PostsFound as Found,
  PostsRequest,
} from "../../../../../catalog/posts/manage-posts.ts";
import type { PostRecord } from "../../../../../catalog/posts/post.ts";
import { AppError } from "../../../../../errors.ts";
import { parseNumber, shortened } from "../../../../../values/fields.ts";
import { posts } from "../../../../../verbs/operator/data/pushes.ts";
import { pageError } from "../../../forms/faults.ts";
import { verbAction } from "../../../forms/verb-action.ts";
import { ActionButton, RowFaults, sentNumber } from "../../../look/action-button.tsx";
import { type Column, DataTable } from "../../../look/data-table.tsx";
import { withoutMarks } from "../../../look/post-excerpt.tsx";
import { Instant } from "../../../look/shown.tsx";
import { Done, ImportLink } from "../../../look/user-text.tsx";
import type { SiteContext } from "../../../site-context.ts";
import type { SitePage } from "../../../site-pages.ts";
import { orRefusal } from "../../../visit/look-up.ts";
import { asset, page, useSite, useVisit, type View, type Visit } from "../../../visit/visit.ts";
import { withQuery } from "../console.tsx";

const SHOWN = 20;
const TEXT_SHOWN = 300;

/** `/staff/posts/`: posts of all channels, found by number or by part of their text. */
export const staffPostsPage: SitePage = {
  path: "/staff/posts/",
  access: "staff",
  show: (visit) =>
    page(
      visit.words.posts,
      <>
        <Done words={visit.words.staffCatalog.done} />
        <PostsFound channelId={null} />
      </>,
    ),
  actions: { "take-down": takeDown },
};

/** Posts of one channel, or of all, with the form for finding them. */
export async function PostsFound({ channelId }: { channelId: number | null }) {
  const visit = useVisit();
  const words = visit.words.staffCatalog;
  const text = (visit.query.get("q") ?? "").trim();
  const request = { channelId, text, after: positionOf(), limit: SHOWN };
  const found = await orRefusal(foundOf(request, useSite()));
  const isSlow = found instanceof AppError;
  return (
    <>
      <FindForm
        label={channelId === null ? words.findPosts : words.findInChannel}
        fault={isSlow ? words.slow : null}
      />
      <RowFaults actions={["take-down"]} />
      {!isSlow && <Table found={found} isOfOne={channelId !== null} />}
    </>
  );
}

/** @param fault what is wrong with the text; null if nothing is */
function FindForm({ label, fault }: { label: string; fault: string | null }) {
  const visit = useVisit();
  return (
    <search>
      <form method="get" action={asset(visit.path.split("?")[0] ?? "")} class="inline">
        <label for="q">{label}</label>
        <input
          type="search"
          id="q"
          name="q"
          value={visit.query.get("q") ?? ""}
          aria-invalid={fault === null ? undefined : "true"}
          aria-describedby={fault === null ? undefined : "q-fault"}
        />
        <button type="submit">{visit.words.find}</button>
        {fault !== null && (
          <strong class="fault" id="q-fault">
            {fault}
          </strong>
        )}
      </form>
    </search>
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
function NoPosts({ isOfOne }: { isOfOne: boolean }) {
  const visit = useVisit();
  const isSearched = (visit.query.get("q") ?? "").trim() !== "";
  return (
    <p class="empty">
      {isSearched ? visit.words.staffCatalog.noPosts : visit.words.nothingYet}{" "}
      {!isSearched && !isOfOne && <ImportLink />}
    </p>
  );
}

function Table({ found: { posts, next }, isOfOne }: { found: Found; isOfOne: boolean }) {
  const { staffCatalog: words, actions, channel: channelHead, takeDown } = useVisit().words;
  if (posts.length === 0) return <NoPosts isOfOne={isOfOne} />;
  const channel: Column<PostRecord> = [
    channelHead,
    ({ channel }) => <a href={asset(`/staff/channels/${channel}/`)}>{channel}</a>,
    "number",
  ];
  return (
    <>
      <DataTable
        label={words.posts}
        rows={posts}
        columns={[
          [words.post, ({ id }) => id, "row number"],
          ...(isOfOne ? [] : [channel]),
          [words.published, ({ published_at }) => <Instant at={published_at} />],
          [
            words.text,
            ({ text }) => (
              <bdi>{text === "" ? words.noText : withoutMarks(shortened(text, TEXT_SHOWN))}</bdi>
            ),
            "long",
          ],
          [
            actions,
            ({ id }) => (
              <ActionButton
                inRow
                action="take-down"
                label={takeDown}
                description={String(id)}
                fields={{ posts: id }}
                confirm={words.takeDownQuestion(String(id))}
                danger
              />
            ),
          ],
        ]}
      />
      {next !== null && (
        <p class="row">
          <a href={withQuery({ after: next.join("-") })} rel="next">
            {words.next}
          </a>
        </p>
      )}
    </>
  );
}

const takeDownSent = verbAction(posts, "delete");

/** Takes a post down; on a channel's page, only one of that channel. */
export async function takeDown(visit: Visit, context: SiteContext): Promise<View> {
  const ofChannel = visit.params["id"];
  const [post] = context.posts.known([sentNumber("posts")]);
  const isShown =
    post !== undefined && (ofChannel === undefined || Number(ofChannel) === post.channel);
  if (!isShown) throw pageError("not_found", visit.words.noSuchPost);
  return takeDownSent(visit, context);
}

/** The position in the query, such as `1763000000000-7`; null for any other text. */
function positionOf(): PostsRequest["after"] {
  const { query } = useVisit();
  const [, at, id] = /^(\d{1,15})-(\d{1,15})$/.exec(query.get("after") ?? "") ?? [];
  return at === undefined || id === undefined ? null : [Number(at), Number(id)];
}
