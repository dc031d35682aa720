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
  const ownPath = `/v1/msgr/channels/${card.id}/`;
  const call = (label: string, path: string, query = {}) => (
    <>
      <h3>{label}</h3>
      <ApiCall visit={visit} label={label} path={path} query={query} />
    </>
  );
  return (
    <section class="card" aria-labelledby="api">
      <h2 id="api">{words.useInApi}</h2>
      <p>
        {words.apiText} <a href={asset(visit, "/account/keys/")}>{words.makeKey}</a>
      </p>
      {call(words.card, ownPath)}
      {days !== null &&
        call(words.statistics, "/v1/msgr/stats/daily/", { channels: String(card.id), ...days })}
      {hasPosts && call(words.latestPosts, `${ownPath}posts/`, { limit: "10" })}
      {hasPosts &&
        call(visit.words.mentionPages.whoMentions, `${ownPath}mentions/`, { limit: "10" })}
    </section>
  );
}
