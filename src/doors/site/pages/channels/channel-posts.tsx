/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardView } from "../../../../catalog/channels/card.ts";
import type { PostView } from "../../../../catalog/posts/post.ts";
import { AppError } from "../../../../errors.ts";
import type { Page } from "../../../../values/json-text.ts";
import { channelPostsRetrieve } from "../../../../verbs/methods/posts.ts";
import { pageError } from "../../forms/faults.ts";
import { ActionButton, RowFaults, sentNumber } from "../../look/action-button.tsx";
import { Pager } from "../../look/data-table.tsx";
import { PlanWithPosts } from "../../look/opening-plan.tsx";
import { Moment, shownNumber } from "../../look/shown.tsx";
import { lookUp, orRefusal } from "../../visit/look-up.ts";
import { currentActor } from "../../visit/viewer.ts";
import { asset, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
import { refusalText } from "./channel-figures.tsx";
import { periodOf } from "./channel-readings.ts";
import { PostMarks, PostText } from "./post-text.tsx";

/** Small, because posts are long. */
const PAGE_SIZE = "10";
/** Characters of a post to show at once. */
const SHOWN_MAX = 600;
/** Characters in all folded rests of a page together, so that it stays light however long the posts are. */
const RESTS_MAX = 10_000;

/** A page of a channel's posts, newest first. */
export async function channelPosts({ id }: CardView): Promise<JSX.Element> {
  const visit = useVisit();
  const words = visit.words.explorerPages;
  const cursor = visit.query.get("cursor") ?? "";
  const raw = { channel: String(id), limit: PAGE_SIZE, cursor };
  const found = await orRefusal(lookUp<Page<PostView>>(channelPostsRetrieve, raw));
  return (
    <section aria-labelledby="posts">
      <h2 id="posts">{cursor === "" ? words.latestPosts : words.earlierPosts}</h2>
      {found instanceof AppError ? (
        <p class="notice">
          {await refusalText(found, words.postsClosed)}
          <PlanWithPosts after={found} />
        </p>
      ) : (
        <Posts id={id} page={found} />
      )}
    </section>
  );
}

/** Takes a post down, for staff. */
export async function deletePost(): Promise<View> {
  const visit = useVisit();
  const { posts } = useSite();
  if (!isStaff()) throw pageError("not_found", visit.words.notFoundText);
  const deleted = await posts.delete([sentNumber("post")], currentActor());
  if (deleted === 0) throw pageError("not_found", visit.words.noSuchPost);
  const channel = encodeURIComponent(visit.params["id"] ?? "");
  return redirect(`/account/channels/${channel}/?done=deleted`);
}

function isStaff(): boolean {
  const { signedIn } = useVisit();
  return signedIn?.person.isStaff === true;
}

function Posts({ id, page }: { id: number; page: Page<PostView> }) {
  const words = useVisit().words.explorerPages;
  const path = `/account/channels/${id}/`;
  return (
    <>
      <RowFaults actions={["delete-post"]} />
      {page.results.length === 0 && <p class="empty">{words.noPosts}</p>}
      {withRoom(page.results).map(({ post, room }) => (
        <Post post={post} room={room} />
      ))}
      <Pager
        page={page}
        path={path}
        given={{ days: periodOf() }}
        section="#posts"
        first={words.latestPosts}
        next={words.earlierPosts}
      >
        {page.results.length > 0 && (
          <a href={asset(`${path}?download=posts`)}>{words.downloadPosts}</a>
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
  post,
  room,
}: {
  post: PostView;
  /** Characters available for the rest of its text. */
  room: number;
}) {
  const { explorerPages: words, takeDown } = useVisit().words;
  return (
    <article class="post">
      <p class="about">
        <Moment at={post.published_at} />
        {post.edited_at !== null && (
          <span>
            {words.edited} <Moment at={post.edited_at} />
          </span>
        )}
        <span>{words.viewsOf(post.views_at === null ? "—" : shownNumber(post.views))}</span>
        {countsOf(post).map((count) => (
          <span>{count}</span>
        ))}
        <PostMarks post={post} />
      </p>
      <ForwardedFrom post={post} />
      <PostText
        text={post.text}
        links={post.links}
        shown={SHOWN_MAX}
        rest={words.restOfPost}
        restMax={room}
      />
      {isStaff() && (
        <ActionButton
          inRow
          action="delete-post"
          label={takeDown}
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
function countsOf({ forwards, reactions, comments }: PostView): string[] {
  const words = useVisit().words.explorerPages;
  const counts: [number | null, (count: string) => string][] = [
    [forwards, words.forwardsOf],
    [reactions, words.reactionsOf],
    [comments, words.commentsOf],
  ];
  return counts.flatMap(([count, say]) => (count === null ? [] : say(shownNumber(count))));
}

/** Source of a forwarded post by name, linked if it is a channel of the catalog. */
function ForwardedFrom({ post }: { post: PostView }) {
  const words = useVisit().words.explorerPages;
  const { forwarded_from: id, forwarded_from_name: name } = post;
  if (id === null && name === null) return null;
  const shown = <bdi>{name ?? words.channelNumber(id ?? 0)}</bdi>;
  return (
    <p>
      {words.forwardedFrom}{" "}
      {id === null ? shown : <a href={asset(`/account/channels/${id}/`)}>{shown}</a>}
    </p>
  );
}
