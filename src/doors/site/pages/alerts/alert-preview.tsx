/** @jsxImportSource hono/jsx */
import type { AlertView, PreviewView } from "../../../../push/webhooks/alerts/alert-views.ts";
import { PREVIEW_DAYS, WALKED_MAX } from "../../../../push/webhooks/alerts/preview.ts";
import { Moment } from "../../look/answer-times.tsx";
import { ChannelLink } from "../../look/channel-link.tsx";
import { PostExcerpt } from "../../look/post-excerpt.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { UserLink } from "../../look/user-text.tsx";
import { cardsOf } from "../../visit/cards-of.ts";
import { asset } from "../../visit/site-path.ts";
import { useVisit } from "../../visit/use-visit.ts";

/** Link to the preview, which takes a while and is therefore shown only on request. */
export function PreviewLink({ alert }: { alert: AlertView }) {
  const words = useVisit().words.alertPages;
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{words.preview}</h2>
      <p>{words.previewText(shownNumber(PREVIEW_DAYS))}</p>
      <p>
        <a href={asset(`/account/alerts/${alert.id}/?preview=yes`)}>{words.showPreview}</a>
      </p>
    </section>
  );
}

/** Number of matching posts, and the newest ones with their matches marked. */
export function Preview({
  preview: { matches, matches_capped: isCapped, results },
}: {
  preview: PreviewView;
}) {
  const words = useVisit().words.alertPages;
  const ids = results.map(({ channel }) => channel);
  const cards = cardsOf(ids);
  const count = shownNumber(matches);
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{words.preview}</h2>
      <p role="status">
        {isCapped ? words.matchesCapped(count, shownNumber(WALKED_MAX)) : words.matches(count)}
      </p>
      {results.length === 0 ? (
        <p class="empty">{words.nothingMatches}</p>
      ) : (
        <>
          {matches > results.length && <p>{words.newest}</p>}
          {results.map((post) => (
            <article class="card">
              <p class="about">
                <ChannelLink
                  id={post.channel}
                  title={cards.get(post.channel)?.title ?? String(post.channel)}
                  image={cards.get(post.channel)?.image}
                />
                <Moment at={post.published_at} />
              </p>
              <PostExcerpt snippet={post.snippet} highlights={post.highlights} />
              {post.link !== null && (
                <p>
                  <UserLink address={post.link}>{words.openPost}</UserLink>
                </p>
              )}
            </article>
          ))}
        </>
      )}
    </section>
  );
}
