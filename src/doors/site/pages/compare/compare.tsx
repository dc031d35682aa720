/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardView } from "../../../../catalog/channels/card.ts";
import { ApiCall } from "../../look/api-call.tsx";
import { titleOf } from "../../look/channel-link.tsx";
import { ChannelPicker } from "../../look/channel-picker.tsx";
import type { PartProps } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { asset } from "../../visit/site-path.ts";
import { page } from "../../visit/view.ts";
import type { Visit } from "../../visit/visit.ts";
import { daysForCall, periodOf } from "../channels/channel-readings.ts";
import { historyRefusal, Periods } from "../channels/channel-statistics.tsx";
import { COMPARED_MAX, type Compared, comparisonCall, readCompared } from "./compared.ts";
import { ComparedDays, MEASURES, type Measure, measureOf } from "./compared-days.tsx";
import { ComparedFigures } from "./compared-figures.tsx";

const PATH = "/account/compare/";

/** `/account/compare/`: up to five channels in one chart. */
export const comparePage: SitePage = {
  path: PATH,
  access: "member",
  async show(visit, context) {
    const words = visit.words.comparePages;
    const compared = await readCompared(visit, context);
    const { cards, unknown, isTooMany } = compared;
    return page(
      words.compare,
      <>
        <p>
          <a href={asset(visit, "/account/channels/")}>← {visit.words.explorerPages.allChannels}</a>
        </p>
        {unknown.length > 0 && (
          <p class="notice">
            {words.unknown} <bdi>{unknown.join(", ")}</bdi>
          </p>
        )}
        {isTooMany && <p class="notice">{words.tooMany(COMPARED_MAX)}</p>}
        <Chosen visit={visit} cards={cards} />
        {cards.length === 0 ? (
          <p class="empty">{words.nothing}</p>
        ) : (
          await Picture({ visit, context, compared })
        )}
      </>,
    );
  },
};

/** The compared channels, each with a button to remove it, and the form for adding one. */
function Chosen({ visit, cards }: { visit: Visit; cards: readonly CardView[] }): JSX.Element {
  const words = visit.words.comparePages;
  const idsWithout = (card: CardView) => cards.flatMap(({ id }) => (id === card.id ? [] : id));
  return (
    <form method="get" action={asset(visit, PATH)} class="card chosen">
      <ul class="chips">
        {cards.map((card, at) => (
          <li class={`tint-${at}`}>
            <input type="hidden" name="channels" value={card.id} />
            <bdi>{titleOf(visit, card)}</bdi>
            <a href={hrefOf(visit, idsWithout(card))}>
              <span aria-hidden="true">×</span>
              <span class="hidden">
                {words.remove} {titleOf(visit, card)}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {cards.length < COMPARED_MAX && (
        <div class="row">
          <input type="hidden" name="days" value={periodOf(visit)} />
          <input type="hidden" name="measure" value={measureOf(visit)} />
          <ChannelPicker visit={visit} label={words.add} />
          <button type="submit">{words.addButton}</button>
        </div>
      )}
    </form>
  );
}

async function Picture({
  visit,
  context,
  compared,
}: PartProps & {
  compared: Compared;
}): Promise<JSX.Element> {
  const words = visit.words.comparePages;
  const { cards, rows, refusal, comparisons } = compared;
  const days = await daysForCall(compared, visit, context);
  const measure = measureOf(visit);
  const period = periodOf(visit);
  const ids = cards.map(({ id }) => id);
  const query = { channels: ids.join(), measure };
  return (
    <>
      <section class="card" aria-labelledby="picture">
        <h2 id="picture">{words.measures[measure]}</h2>
        <div class="row apart">
          <Measures visit={visit} ids={ids} current={measure} />
          <Periods visit={visit} path={PATH} current={period} query={query} />
        </div>
        {refusal !== null ? (
          <p class="notice">{await historyRefusal(refusal, visit, context)}</p>
        ) : rows.length === 0 ? (
          <p class="empty">{visit.words.explorerPages.noStatistics}</p>
        ) : (
          <ComparedDays
            visit={visit}
            compared={compared}
            measure={measure}
            titles={cards.map((card) => titleOf(visit, card))}
          />
        )}
      </section>
      <ComparedFigures visit={visit} compared={compared} />
      {(days !== null || comparisons.size > 0) && (
        <section aria-labelledby="api">
          <h2 id="api">{visit.words.explorerPages.useInApi}</h2>
          {days !== null && (
            <ApiCall
              visit={visit}
              label={words.compare}
              path="/v1/msgr/stats/daily/"
              query={{ channels: ids.join(), ...days }}
            />
          )}
          {comparisons.size > 0 && (
            <ApiCall
              visit={visit}
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

function Measures({
  visit,
  ids,
  current,
}: {
  visit: Visit;
  ids: readonly number[];
  current: Measure;
}): JSX.Element {
  const words = visit.words.comparePages;
  return (
    <nav aria-label={words.measure} class="choices">
      {MEASURES.map((measure) => (
        <a
          href={hrefOf(visit, ids, { measure })}
          aria-current={measure === current ? "true" : undefined}
        >
          {words.measures[measure]}
        </a>
      ))}
    </nav>
  );
}

/** Address of the page with these channels and other parameters. */
function hrefOf(visit: Visit, ids: readonly number[], more: { measure?: Measure } = {}): string {
  const query = { days: periodOf(visit), measure: measureOf(visit), ...more };
  return asset(visit, `${PATH}?${new URLSearchParams({ channels: ids.join(), ...query })}`);
}
