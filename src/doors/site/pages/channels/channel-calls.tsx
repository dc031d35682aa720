/** @jsxImportSource hono/jsx */
import type { CardView } from "../../../../catalog/channels/card.ts";
import { ApiCall } from "../../look/api-call.tsx";
import { asset } from "../../visit/site-path.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { ownPlan } from "../../visit/viewer.ts";
import { daysForCall, type Readings } from "./channel-readings.ts";

/** The page's data as API requests that the plan includes: the card, the days shown, the posts. */
export async function ChannelCalls({ card, readings }: { card: CardView; readings: Readings }) {
  const visit = useVisit();
  const words = visit.words.explorerPages;
  const days = await daysForCall(readings);
  const { posts: hasPosts } = await ownPlan();
  const ownPath = `/v1/msgr/channels/${card.id}/`;
  const call = (label: string, path: string, query = {}) => (
    <>
      <h3>{label}</h3>
      <ApiCall label={label} path={path} query={query} />
    </>
  );
  return (
    <section class="card" aria-labelledby="api">
      <h2 id="api">{words.useInApi}</h2>
      <p>
        {words.apiText} <a href={asset("/account/keys/")}>{words.makeKey}</a>
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
