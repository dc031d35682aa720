/** @jsxImportSource hono/jsx */
import type { CardView } from "../../../../catalog/channels/card.ts";
import { averagesOf } from "../../../../catalog/statistics/statistics.ts";
import { PERIOD_DAYS_MAX } from "../../../../verbs/period.ts";
import { ApiCall } from "../../look/api-call.tsx";
import { ChannelLink, ChannelPicker, titleOf } from "../../look/channel-link.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { ChangeText, changeOf, shownPercent } from "../../look/day-chart.tsx";
import { DayText, shownNumber } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { asset, page, useVisit } from "../../visit/visit.ts";
import { daysForCall, periodOf } from "../channels/channel-readings.ts";
import { HistoryRefusal, Periods } from "../channels/channel-statistics.tsx";
import {
  COMPARED_MAX,
  type Compared,
  ComparedDays,
  comparisonCall,
  MEASURES,
  type Measure,
  measureOf,
  readCompared,
} from "./compared-days.tsx";

const PATH = "/account/compare/";

/** `/account/compare/`: up to five channels in one chart. */
export const comparePage: SitePage = {
  path: PATH,
  access: "member",
  async show(visit) {
    const words = visit.words.comparePages;
    const compared = await readCompared();
    const { cards, unknown, isTooMany } = compared;
    return page(
      words.compare,
      <>
        <p>
          <a href={asset("/account/channels/")}>← {visit.words.explorerPages.allChannels}</a>
        </p>
        {unknown.length > 0 && (
          <p class="notice">
            {words.unknown} <bdi>{unknown.join(", ")}</bdi>
          </p>
        )}
        {isTooMany && <p class="notice">{words.tooMany(COMPARED_MAX)}</p>}
        <Chosen cards={cards} />
        {cards.length === 0 ? <p class="empty">{words.nothing}</p> : await Picture({ compared })}
      </>,
    );
  },
};

/** The compared channels, each with a button to remove it, and the form for adding one. */
function Chosen({ cards }: { cards: readonly CardView[] }) {
  const words = useVisit().words.comparePages;
  const idsWithout = (card: CardView) => cards.flatMap(({ id }) => (id === card.id ? [] : id));
  return (
    <form method="get" action={asset(PATH)} class="card chosen">
      <ul class="chips">
        {cards.map((card, at) => (
          <li class={`tint-${at}`}>
            <input type="hidden" name="channels" value={card.id} />
            <bdi>{titleOf(card)}</bdi>
            <a href={hrefOf(idsWithout(card))}>
              <span aria-hidden="true">×</span>
              <span class="hidden">
                {words.remove} {titleOf(card)}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {cards.length < COMPARED_MAX && (
        <div class="row">
          <input type="hidden" name="days" value={periodOf()} />
          <input type="hidden" name="measure" value={measureOf()} />
          <ChannelPicker label={words.add} />
          <button type="submit">{words.addButton}</button>
        </div>
      )}
    </form>
  );
}

async function Picture({ compared }: { compared: Compared }) {
  const { comparePages: words, explorerPages } = useVisit().words;
  const { cards, rows, refusal, comparisons } = compared;
  const days = await daysForCall(compared);
  const measure = measureOf();
  const period = periodOf();
  const ids = cards.map(({ id }) => id);
  const query = { channels: ids.join(), measure };
  return (
    <>
      <section class="card" aria-labelledby="picture">
        <h2 id="picture">{words.measures[measure]}</h2>
        <div class="row apart">
          <Measures ids={ids} current={measure} />
          <Periods path={PATH} current={period} query={query} />
        </div>
        {refusal !== null ? (
          <HistoryRefusal error={refusal} />
        ) : rows.length === 0 ? (
          <p class="empty">{explorerPages.noStatistics}</p>
        ) : (
          <ComparedDays
            compared={compared}
            measure={measure}
            titles={cards.map((card) => titleOf(card))}
          />
        )}
      </section>
      <ComparedFigures compared={compared} />
      {(days !== null || comparisons.size > 0) && (
        <section aria-labelledby="api">
          <h2 id="api">{explorerPages.useInApi}</h2>
          {days !== null && (
            <ApiCall
              label={words.compare}
              path="/v1/msgr/stats/daily/"
              query={{ channels: ids.join(), ...days }}
            />
          )}
          {comparisons.size > 0 && (
            <ApiCall
              label={words.compare}
              path="/v1/msgr/channels/compare/"
              query={comparisonCall(cards, compared)}
            />
          )}
        </section>
      )}
    </>
  );
}

function Measures({ ids, current }: { ids: readonly number[]; current: Measure }) {
  const words = useVisit().words.comparePages;
  return (
    <nav aria-label={words.measure} class="choices">
      {MEASURES.map((measure) => (
        <a href={hrefOf(ids, { measure })} aria-current={measure === current ? "true" : undefined}>
          {words.measures[measure]}
        </a>
      ))}
    </nav>
  );
}

/** Address of the page with these channels and other parameters. */
function hrefOf(ids: readonly number[], more: { measure?: Measure } = {}): string {
  const query = { days: periodOf(), measure: measureOf(), ...more };
  return asset(`${PATH}?${new URLSearchParams({ channels: ids.join(), ...query })}`);
}

/** A table with the same figures for each channel. */
function ComparedFigures({
  compared: { cards, rows, refusal, comparisons },
}: {
  compared: Compared;
}) {
  const { explorerPages: words, comparePages: compareWords, channelFields } = useVisit().words;
  const number = (value: number | null | undefined) => (value == null ? "—" : shownNumber(value));
  const all = cards.map((card) => ({
    // Of a channel without any post, days may still be known.
    ...averagesOf(rows.filter(({ channel }) => channel === card.id)),
    card,
    comparison: comparisons.get(card.id),
  }));
  const [compared] = comparisons.values();
  return (
    <section aria-labelledby="figures">
      <h2 id="figures">
        {compared === undefined ? (
          compareWords.figures
        ) : (
          <>
            <DayText day={compared.from} /> – <DayText day={compared.to} />
          </>
        )}
      </h2>
      {compared === undefined && refusal === null && (
        <p class="notice">{compareWords.tooLong(PERIOD_DAYS_MAX)}</p>
      )}
      <DataTable
        label={compareWords.compare}
        rows={all}
        columns={[
          [
            channelFields.title,
            ({ card }) => (
              <span class="named-channel">
                <span class={`dot tint-${cards.indexOf(card)}`} />
                <ChannelLink id={card.id} title={card.title} image={card.image} />
              </span>
            ),
            "row",
          ],
          [
            channelFields.subscribers,
            ({ card }) => number(card.subscribers_at === null ? null : card.subscribers),
            "number",
          ],
          [
            words.growthOf,
            ({ comparison }) => (
              <ChangeText change={changeOf(comparison?.growth, comparison?.growth_percent)} />
            ),
            "number",
          ],
          [
            words.viewsPerPost,
            ({ card, viewsPerPost, comparison }) => (
              <>
                {number(
                  comparison?.views_mean ?? (card.last_post_at === null ? viewsPerPost : null),
                )}
                {typeof comparison?.views_median === "number" && (
                  <small>{compareWords.median(number(comparison.views_median))}</small>
                )}
              </>
            ),
            "number",
          ],
          [
            words.postsOfDay,
            ({ card, comparison }) => (
              <>
                {number(card.last_post_at === null ? null : comparison?.posts)}
                {comparison !== undefined && comparison.posts > 0 && (
                  <small>{compareWords.ads(number(comparison.ads))}</small>
                )}
              </>
            ),
            "number",
          ],
          [words.err, ({ comparison }) => shownPercent(comparison?.err), "number"],
        ]}
      />
    </section>
  );
}
