/** @jsxImportSource hono/jsx */
import type { CardView } from "../../../../catalog/channels/card.ts";
import { otherReading } from "../../../../catalog/post-search/finding/match-tokens.ts";
import type { FoundPost } from "../../../../catalog/post-search/post-search.ts";
import type { Page } from "../../../../values/json-text.ts";
import { ApiCall, DownloadForm } from "../../look/api-call.tsx";
import { ChannelLink } from "../../look/channel-link.tsx";
import { Pager } from "../../look/data-table.tsx";
import { PostExcerpt } from "../../look/post-excerpt.tsx";
import { Moment, shownNumber } from "../../look/shown.tsx";
import { cardsOf } from "../../visit/look-up.ts";
import { asset, useVisit } from "../../visit/visit.ts";
import { PostMarks } from "../channels/post-text.tsx";

/** The posts found: their number, each with its hits marked, and the API request. */
export async function FoundPosts({
  page,
  given,
  summary,
  count,
}: {
  page: Page<FoundPost> & { note?: string | null };
  /** Filters given in the address. */
  given: Record<string, string>;
  /** Number of results, in words. */
  summary: string;
  /** The number itself; null if there may be more than were counted. */
  count: number | null;
}) {
  const { explorerPages: words, postPages } = useVisit().words;
  const { unitsPerThousand: perThousand } = postPages;
  const note = page.note && <p class="notice">{page.note}</p>;
  if (page.results.length === 0) {
    return (
      <>
        {note}
        <p class="empty">{postPages.nothingFound}</p>
      </>
    );
  }
  const ids = page.results.map(({ channel }) => channel);
  const cards = cardsOf(ids);
  return (
    <>
      <p class="row apart">
        <strong>{summary}</strong>
        {given["q"] !== undefined && (
          <a href={asset(`/account/posts/word/?${wordQuery(given)}`)}>{postPages.overTime}</a>
        )}
      </p>
      {note}
      <SearchedFor q={given["q"] ?? ""} />
      {page.results.map((post) => (
        <Found post={post} card={cards.get(post.channel)} />
      ))}
      <Pager page={page} path="/account/posts/" given={given} />
      {/* A page opened by its cursor alone does not know its words, so a file would contain all posts, and the call none. */}
      {given["q"] !== undefined && (
        <>
          {await DownloadForm({ rows: count, perThousand })}
          <details class="folded">
            <summary>{words.listAsCall}</summary>
            <ApiCall label={words.listAsCall} path="/v1/msgr/posts/search/" query={given} />
          </details>
        </>
      )}
    </>
  );
}

/** The filters that the page of words over time has too. */
function wordQuery({ ordering: _, media: __, views_min: ___, ...given }: Record<string, string>) {
  return new URLSearchParams(given);
}

/** How the words were understood, if not as typed. */
function SearchedFor({ q }: { q: string }) {
  const reading = otherReading(q);
  if (reading === null) return null;
  return (
    <p>
      {useVisit().words.postPages.searchedFor} <bdi>{reading}</bdi>
    </p>
  );
}

/** A found post with its hits marked. */
export function Found({
  post,
  card,
}: {
  post: FoundPost;
  /** Undefined if the channel was hidden meanwhile. */
  card: CardView | undefined;
}) {
  const words = useVisit().words.explorerPages;
  const { channel, published_at, views, views_at } = post;
  return (
    <article class="post">
      <p class="about">
        <ChannelLink
          id={channel}
          title={card?.title ?? words.channelNumber(channel)}
          image={card?.image}
        />
        <Moment at={published_at} />
        <span>{words.viewsOf(views_at === null ? "—" : shownNumber(views))}</span>
        <PostMarks post={post} />
      </p>
      <PostExcerpt snippet={post.snippet} highlights={post.highlights} />
    </article>
  );
}
