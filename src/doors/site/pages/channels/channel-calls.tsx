/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardView } from "../../../../catalog/channels/card.ts";
import { PERIOD_DAYS_MAX } from "../../../../methods/period.ts";
import { formatDay } from "../../../../values/moscow-time.ts";
import { ApiCall } from "../../look/api-call.tsx";
import { asset } from "../../visit/site-path.ts";
import type { Visit } from "../../visit/visit.ts";
import type { Readings } from "./channel-readings.ts";

/** The page's data as requests of the API: the card, the days that are shown, the posts. */
export function ChannelCalls({
  visit,
  card,
  readings: { from, to },
}: {
  visit: Visit;
  card: CardView;
  readings: Readings;
}): JSX.Element {
  const words = visit.words.explorerPages;
  // A request takes no longer period.
  const first = Math.max(from, to - PERIOD_DAYS_MAX + 1);
  const days = { channels: String(card.id), from: formatDay(first), to: formatDay(to) };
  return (
    <section class="card" aria-labelledby="api">
      <h2 id="api">{words.useInApi}</h2>
      <p>
        {words.apiText} <a href={asset(visit, "/account/keys/")}>{words.makeKey}</a>
      </p>
      <h3>{words.card}</h3>
      <ApiCall visit={visit} label={words.card} path={`/v1/msgr/channels/${card.id}/`} />
      <h3>{words.statistics}</h3>
      <ApiCall visit={visit} label={words.statistics} path="/v1/msgr/stats/daily/" query={days} />
      <h3>{words.posts}</h3>
      <ApiCall
        visit={visit}
        label={words.posts}
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
    </section>
  );
}
