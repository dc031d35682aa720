/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardView } from "../../../../catalog/channels/card.ts";
import type { Mention, SimilarChannel } from "../../../../catalog/mentions/mention.ts";
import { AppError } from "../../../../errors.ts";
import { channelMentionsList, channelSimilarList } from "../../../../methods/mentions.ts";
import type { Page } from "../../../../values/json-text.ts";
import { inLanguage } from "../../../../values/messages/messages.ts";
import { Moment } from "../../look/answer-times.tsx";
import { ChannelLink } from "../../look/channel-link.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { shownNumber } from "../../look/shown.tsx";
import type { PartProps, SiteContext } from "../../site-context.ts";
import { cardsOf } from "../../visit/cards-of.ts";
import { lookUp } from "../../visit/look-up.ts";
import { asset } from "../../visit/site-path.ts";
import { planOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { PostText } from "./post-text.tsx";

/**
 * Number of mentions and similar channels on the channel's own page; the complete lists are on other pages.
 */
const MENTIONS_SHOWN = "3";
const SIMILAR_SHOWN = 6;
/** Characters of a post to show at once. */
const TEXT_SHOWN = 300;

/** The result, or why it is refused: by the plan, or while older posts are still being processed. */
export async function orMentionRefusal<Result>(
  result: Promise<Result>,
): Promise<Result | AppError> {
  try {
    return await result;
  } catch (error) {
    const codes = ["tariff_required", "unavailable", "timeout", "invalid"];
    if (error instanceof AppError && codes.includes(error.code)) return error;
    throw error;
  }
}

export async function refusalText(
  error: AppError,
  visit: Visit,
  context: SiteContext,
): Promise<string> {
  if (error.code === "tariff_required") {
    return visit.words.mentionPages.closed((await planOf(visit, context)).code);
  }
  return inLanguage(visit.language, error.faults?.["cursor"]?.[0] ?? error.publicMessage);
}

/** Recent mentions of the channel, and similar channels. */
export async function mentionsOfChannel(
  card: CardView,
  visit: Visit,
  context: SiteContext,
): Promise<JSX.Element> {
  const words = visit.words.mentionPages;
  const channel = String(card.id);
  const [mentions, similar] = await Promise.all([
    orMentionRefusal(
      lookUp<Page<Mention>>(
        channelMentionsList,
        { channel, limit: MENTIONS_SHOWN },
        visit,
        context,
      ),
    ),
    orMentionRefusal(
      lookUp<{ results: SimilarChannel[] }>(channelSimilarList, { channel }, visit, context),
    ),
  ]);
  if (mentions instanceof AppError) {
    return (
      <section class="card" aria-labelledby="mentions">
        <h2 id="mentions">{words.whoMentions}</h2>
        <p class="notice">{await refusalText(mentions, visit, context)}</p>
      </section>
    );
  }
  return (
    <div class="halves">
      <section class="card" aria-labelledby="mentions">
        <h2 id="mentions">{words.whoMentions}</h2>
        {mentions.results.length === 0 && <p class="empty">{words.none}</p>}
        <MentionItems visit={visit} mentions={mentions.results} context={context} />
        <p>
          <a href={asset(visit, `/account/channels/${card.id}/mentions/`)}>{words.allMentions}</a>
        </p>
      </section>
      <section class="card" aria-labelledby="similar">
        <h2 id="similar">{words.similar}</h2>
        <p>{words.similarText}</p>
        {similar instanceof AppError ? (
          <p class="notice">{await refusalText(similar, visit, context)}</p>
        ) : (
          <Similar
            visit={visit}
            channels={similar.results.slice(0, SIMILAR_SHOWN)}
            context={context}
          />
        )}
      </section>
    </div>
  );
}

/** Posts with mentions, each with its channel, time and kinds. */
export function MentionItems({
  visit,
  mentions,
  context,
}: PartProps & {
  mentions: readonly Mention[];
}): JSX.Element {
  const cards = cardsOf(
    context,
    mentions.map(({ mentioned_by: { id } }) => id),
  );
  return (
    <>
      {mentions.map((mention) => (
        <MentionItem
          visit={visit}
          mention={mention}
          image={cards.get(mention.mentioned_by.id)?.image ?? null}
          context={context}
        />
      ))}
    </>
  );
}

function MentionItem({
  visit,
  mention,
  image,
  context,
}: PartProps & {
  mention: Mention;
  image: string | null;
}): JSX.Element {
  const { kinds } = visit.words.mentionPages;
  const { id, title } = mention.mentioned_by;
  return (
    <article>
      <p class="about">
        <strong>
          <ChannelLink visit={visit} id={id} title={title} image={image} />
        </strong>
        <Moment visit={visit} at={mention.published_at} />
        {mention.kinds.map((kind) => (
          <span class="badge">{kinds[kind]}</span>
        ))}
      </p>
      <PostText text={mention.text} shown={TEXT_SHOWN} context={context} />
    </article>
  );
}

function Similar({
  visit,
  channels,
  context,
}: PartProps & {
  channels: readonly SimilarChannel[];
}): JSX.Element {
  const words = visit.words.mentionPages;
  const cards = cardsOf(
    context,
    channels.map(({ id }) => id),
  );
  if (channels.length === 0) return <p class="empty">{words.noSimilar}</p>;
  return (
    <DataTable label={words.similar} columns={[words.channel, `#${words.score}`]}>
      {channels.map((channel) => (
        <tr>
          <th scope="row">
            <ChannelLink
              visit={visit}
              id={channel.id}
              title={channel.title}
              image={cards.get(channel.id)?.image ?? null}
            />
            <br />
            <small>
              {[
                ...(channel.shared > 0 ? [words.shared(shownNumber(visit, channel.shared))] : []),
                ...channel.reasons
                  .filter((reason) => reason !== "mentioned_together")
                  .map((reason) => words.reasons[reason]),
              ].join(", ")}
            </small>
          </th>
          <td class="number">{channel.score}</td>
        </tr>
      ))}
    </DataTable>
  );
}
