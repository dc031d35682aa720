/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardView } from "../../../../catalog/channels/card.ts";
import { ApiCall } from "../../look/api-call.tsx";
import type { PartProps } from "../../site-context.ts";
import { asset } from "../../visit/site-path.ts";
import { planOf } from "../../visit/viewer.ts";
import { daysForCall, type Readings } from "./channel-readings.ts";

/** The page's data as API requests that the plan includes: the card, the days shown, the posts. */
export async function ChannelCalls({
  visit,
  card,
  readings,
  context,
}: PartProps & {
  card: CardView;
  readings: Readings;
}): Promise<JSX.Element> {
  const words = visit.words.explorerPages;
  const days = await daysForCall(readings, visit, context);
  const { posts: hasPosts } = await planOf(visit, context);
  return (
    <section class="card" aria-labelledby="api">
      <h2 id="api">{words.useInApi}</h2>
      <p>
        {words.apiText} <a href={asset(visit, "/account/keys/")}>{words.makeKey}</a>
      </p>
      <h3>{words.card}</h3>
      <ApiCall visit={visit} label={words.card} path={`/v1/msgr/channels/${card.id}/`} />
      {days !== null && (
        <>
          <h3>{words.statistics}</h3>
          <ApiCall
            visit={visit}
            label={words.statistics}
            path="/v1/msgr/stats/daily/"
            query={{ channels: String(card.id), ...days }}
          />
        </>
      )}
      {hasPosts && (
        <>
          <h3>{words.latestPosts}</h3>
          <ApiCall
            visit={visit}
            label={words.latestPosts}
            path={`/v1/msgr/channels/${card.id}/posts/`}
            query={{ limit: "10" }}
          />
          <h3>{visit.words.mentionPages.whoMentions}</h3>
          <ApiCall
            visit={visit}
            label={visit.words.mentionPages.whoMentions}
            path={`/v1/msgr/channels/${card.id}/mentions/`}
            query={{ limit: "10" }}
          />
        </>
      )}
    </section>
  );
}
