/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardView } from "../../../../catalog/channels/card.ts";
import type { PostView } from "../../../../catalog/posts/post.ts";
import { AppError } from "../../../../errors.ts";
import type { Page } from "../../../../values/json-text.ts";
import { channelPostsRetrieve } from "../../../../verbs/posts.ts";
import { pageError } from "../../forms/faults.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { Moment } from "../../look/answer-times.tsx";
import { Pager } from "../../look/pager.tsx";
import { RowFaults, sentNumber, withoutForm } from "../../look/row-actions.tsx";
import { shownNumber } from "../../look/shown.tsx";
import type { PartProps, SiteContext } from "../../site-context.ts";
import { lookUp, orRefusal } from "../../visit/look-up.ts";
import { asset } from "../../visit/site-path.ts";
import { redirect, type View } from "../../visit/view.ts";
import { actorOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { periodOf } from "./channel-readings.ts";
import { PostMarks, PostText } from "./post-text.tsx";
import { refusalText } from "./refusal-text.ts";

/** Small, because posts are long. */
const PAGE_SIZE = "10";
/** Characters of a post to show at once. */
const SHOWN_MAX = 600;
/** Characters in all folded rests of a page together, so that it stays light however long the posts are. */
const RESTS_MAX = 10_000;

/** A page of a channel's posts, newest first. */
export async function channelPosts(
  { id }: CardView,
  visit: Visit,
  context: SiteContext,
): Promise<JSX.Element> {
  const words = visit.words.explorerPages;
  const cursor = visit.query.get("cursor") ?? "";
  const raw = { channel: String(id), limit: PAGE_SIZE, cursor };
  const found = await orRefusal(lookUp<Page<PostView>>(channelPostsRetrieve, raw, visit, context));
  return (
    <section aria-labelledby="posts">
      <h2 id="posts">{cursor === "" ? words.latestPosts : words.earlierPosts}</h2>
      {found instanceof AppError ? (
        <p class="notice">{await refusalText(found, words.postsClosed, visit, context)}</p>
      ) : (
        <Posts visit={visit} id={id} page={found} context={context} />
      )}
    </section>
  );
}

/** Takes a post down, for staff. */
export async function deletePost(visit: Visit, { posts }: SiteContext): Promise<View> {
  const words = visit.words.explorerPages;
  if (!isStaff(visit)) throw pageError("not_found", visit.words.notFoundText);
  const deleted = await posts.delete([sentNumber(visit, "post")], actorOf(visit));
  if (deleted === 0) throw pageError("not_found", words.noSuchPost);
  const channel = encodeURIComponent(visit.params["id"] ?? "");
  return redirect(`/account/channels/${channel}/?done=deleted`);
}

function isStaff({ signedIn }: Visit): boolean {
  return signedIn?.person.isStaff === true;
}

function Posts({
  visit,
  id,
  page,
  context,
}: PartProps & {
  id: number;
  page: Page<PostView>;
}): JSX.Element {
  const words = visit.words.explorerPages;
  const path = `/account/channels/${id}/`;
  return (
    <>
      <RowFaults visit={visit} actions={["delete-post"]} />
      {page.results.length === 0 && <p class="empty">{words.noPosts}</p>}
      {withRoom(page.results).map(({ post, room }) => (
        <Post visit={visit} post={post} room={room} context={context} />
      ))}
      <Pager
        visit={visit}
        page={page}
        path={path}
        given={{ days: periodOf(visit) }}
        section="#posts"
        first={words.latestPosts}
        next={words.earlierPosts}
      >
        {page.results.length > 0 && (
          <a href={asset(visit, `${path}?download=posts`)}>{words.downloadPosts}</a>
        )}
      </Pager>
    </>
  );
}

/** Posts, each with how much of `RESTS_MAX` is left for its rest. */
function withRoom(posts: readonly PostView[]): { post: PostView; room: number }[] {
  let left = RESTS_MAX;
  return posts.map((post) => {
    const room = left;
    left -= Math.min(left, Math.max(0, post.text.length - SHOWN_MAX));
    return { post, room };
  });
}

function Post({
  visit,
  post,
  room,
  context,
}: PartProps & {
  post: PostView;
  /** Characters available for the rest of its text. */
  room: number;
}): JSX.Element {
  const words = visit.words.explorerPages;
  return (
    <article class="post">
      <p class="about">
        <Moment visit={visit} at={post.published_at} />
        {post.edited_at !== null && (
          <span>
            {words.edited} <Moment visit={visit} at={post.edited_at} />
          </span>
        )}
        {post.views_at !== null && <span>{words.viewsOf(shownNumber(visit, post.views))}</span>}
        {countsOf(post, visit).map((count) => (
          <span>{count}</span>
        ))}
        <PostMarks visit={visit} post={post} />
      </p>
      <ForwardedFrom visit={visit} post={post} />
      <PostText
        text={post.text}
        shown={SHOWN_MAX}
        rest={words.restOfPost}
        restMax={room}
        context={context}
      />
      {isStaff(visit) && (
        <ActionButton
          visit={withoutForm(visit)}
          action="delete-post"
          label={words.deletePost}
          description={String(post.id)}
          fields={{ post: post.id }}
          confirm={words.deletePostQuestion}
          danger
        />
      )}
    </article>
  );
}

/** A post's known counts, apart from views. */
function countsOf({ forwards, reactions, comments }: PostView, visit: Visit): string[] {
  const words = visit.words.explorerPages;
  const counts: [number | null, (count: string) => string][] = [
    [forwards, words.forwardsOf],
    [reactions, words.reactionsOf],
    [comments, words.commentsOf],
  ];
  return counts.flatMap(([count, say]) => (count === null ? [] : say(shownNumber(visit, count))));
}

/** Source of a forwarded post by name, linked if it is a channel of the catalog. */
function ForwardedFrom({ visit, post }: { visit: Visit; post: PostView }): JSX.Element | null {
  const words = visit.words.explorerPages;
  const { forwarded_from: id, forwarded_from_name: name } = post;
  if (id === null && name === null) return null;
  const shown = <bdi>{name ?? words.channelNumber(id ?? 0)}</bdi>;
  return (
    <p>
      {words.forwardedFrom}{" "}
      {id === null ? shown : <a href={asset(visit, `/account/channels/${id}/`)}>{shown}</a>}
    </p>
  );
}
