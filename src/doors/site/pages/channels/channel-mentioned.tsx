/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardView } from "../../../../catalog/channels/card.ts";
import type { Mention, SimilarChannel } from "../../../../catalog/mentions/mention.ts";
import { AppError } from "../../../../errors.ts";
import type { Page } from "../../../../values/json-text.ts";
import { channelMentionsList, channelSimilarList } from "../../../../verbs/methods/posts.ts";
import { ChannelLink } from "../../look/channel-link.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { Moment, shownNumber } from "../../look/shown.tsx";
import { cardsOf, lookUp, orRefusal } from "../../visit/look-up.ts";
import { asset, useVisit } from "../../visit/visit.ts";
import { refusalText } from "./channel-figures.tsx";
import { PostText } from "./post-text.tsx";

/**
 * Number of mentions and similar channels on the channel's own page; the complete lists are on other pages.
 */
const MENTIONS_SHOWN = 3;
/** Mentions among which advertising is counted. */
const MENTIONS_READ = "50";
const SIMILAR_SHOWN = 6;
/** Characters of a post to show at once. */
const TEXT_SHOWN = 300;

/** Recent mentions of the channel, and similar channels. */
export async function mentionsOfChannel(card: CardView): Promise<JSX.Element> {
  const words = useVisit().words.mentionPages;
  const channel = String(card.id);
  const raw = { channel, limit: MENTIONS_READ };
  const [mentions, similar] = await Promise.all([
    // Both may take long: without them, the rest of the page is still shown.
    orRefusal(lookUp<Page<Mention>>(channelMentionsList, raw), "unavailable"),
    orRefusal(
      lookUp<{ results: SimilarChannel[] }>(channelSimilarList, { channel }),
      "unavailable",
    ),
  ]);
  if (mentions instanceof AppError) {
    return (
      <section class="card" aria-labelledby="mentions">
        <h2 id="mentions">{words.whoMentions}</h2>
        <p class="notice">{await refusalText(mentions, words.closed)}</p>
      </section>
    );
  }
  return (
    <div class="halves">
      <section class="card" aria-labelledby="mentions">
        <h2 id="mentions">{words.whoMentions}</h2>
        {mentions.results.length === 0 && <p class="empty">{words.none}</p>}
        <MentionItems mentions={mentions.results.slice(0, MENTIONS_SHOWN)} />
        <SeenAdvertising mentions={mentions.results} />
        <p>
          <a href={asset(`/account/channels/${card.id}/mentions/`)}>{words.allMentions}</a>
        </p>
      </section>
      <section class="card" aria-labelledby="similar">
        <h2 id="similar">{words.similar}</h2>
        <p>{words.similarText}</p>
        {similar instanceof AppError ? (
          <p class="notice">{await refusalText(similar, words.closed)}</p>
        ) : (
          <Similar channels={similar.results.slice(0, SIMILAR_SHOWN)} />
        )}
      </section>
    </div>
  );
}

/** Channels whose posts with advertising mention it. */
function SeenAdvertising({ mentions }: { mentions: readonly Mention[] }) {
  const words = useVisit().words.mentionPages;
  const ads = mentions.filter(({ is_ad }) => is_ad);
  if (ads.length === 0) return null;
  const channels = new Map(ads.map(({ mentioned_by: by }) => [by.id, by]));
  const cards = cardsOf([...channels.keys()]);
  return (
    <>
      <h3>{words.seenAdvertising}</h3>
      <p>{words.adsOfMentions(shownNumber(ads.length), shownNumber(mentions.length))}</p>
      <div class="row">
        {[...channels.values()].slice(0, SIMILAR_SHOWN).map(({ id, title }) => (
          <ChannelLink id={id} title={title} image={cards.get(id)?.image} />
        ))}
      </div>
    </>
  );
}

/** Posts with mentions, each with its channel, time and kinds. */
export function MentionItems({ mentions }: { mentions: readonly Mention[] }) {
  const names = useVisit().words.mentionPages.kinds;
  const ids = mentions.map(({ mentioned_by: { id } }) => id);
  const cards = cardsOf(ids);
  return (
    <>
      {mentions.map(({ mentioned_by: { id, title }, published_at, kinds, text, links }) => (
        <article>
          <p class="about">
            <strong>
              <ChannelLink id={id} title={title} image={cards.get(id)?.image} />
            </strong>
            <Moment at={published_at} />
            {kinds.map((kind) => (
              <span class="badge">{names[kind]}</span>
            ))}
          </p>
          <PostText text={text} links={links} shown={TEXT_SHOWN} />
        </article>
      ))}
    </>
  );
}

function Similar({ channels }: { channels: readonly SimilarChannel[] }) {
  const { mentionPages: words, channel } = useVisit().words;
  if (channels.length === 0) return <p class="empty">{words.noSimilar}</p>;
  const ids = channels.map(({ id }) => id);
  const cards = cardsOf(ids);
  return (
    <DataTable
      label={words.similar}
      rows={channels}
      columns={[
        [
          channel,
          ({ id, title, shared, reasons }) => (
            <>
              <ChannelLink id={id} title={title} image={cards.get(id)?.image} />
              <br />
              <small>
                {[
                  ...(shared > 0 ? [words.shared(shownNumber(shared))] : []),
                  ...reasons
                    .filter((reason) => reason !== "mentioned_together")
                    .map((reason) => words.reasons[reason]),
                ].join(", ")}
              </small>
            </>
          ),
          "row",
        ],
        [words.score, ({ score }) => score, "number"],
      ]}
    />
  );
}
