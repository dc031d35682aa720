/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardView } from "../../../../catalog/channels/card.ts";
import { changeOver } from "../../../../catalog/metrics/change-over.ts";
import { averagesOf } from "../../../../catalog/statistics/averages.ts";
import { ApiCall } from "../../look/api-call.tsx";
import { ChangeText, shownPercent } from "../../look/change.tsx";
import { ChannelLink } from "../../look/channel-link.tsx";
import { ChannelPicker } from "../../look/channel-picker.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { shownNumber } from "../../look/shown.tsx";
import type { PartProps } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { asset } from "../../visit/site-path.ts";
import { page } from "../../visit/view.ts";
import type { Visit } from "../../visit/visit.ts";
import { askedDays, periodOf } from "../channels/channel-readings.ts";
import { Periods, refusalText } from "../channels/channel-statistics.tsx";
import { COMPARED_MAX, type Compared, comparisonCall, readCompared } from "./compared.ts";
import { ComparedDays, MEASURES, type Measure, measureOf } from "./compared-days.tsx";

const PATH = "/account/compare/";

/** `/account/compare/`: up to five channels in one picture. */
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

/** The channels that are compared, each to be taken out, and the form that adds one. */
function Chosen({ visit, cards }: { visit: Visit; cards: readonly CardView[] }): JSX.Element {
  const words = visit.words.comparePages;
  const ids = cards.map(({ id }) => id);
  return (
    <form method="get" action={asset(visit, PATH)} class="card chosen">
      <ul class="chips">
        {cards.map((card, at) => (
          <li class={`tint-${at}`}>
            <input type="hidden" name="channels" value={card.id} />
            <bdi>{titleOf(visit, card)}</bdi>
            <a
              href={hrefOf(
                visit,
                ids.filter((id) => id !== card.id),
                {},
              )}
            >
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
          <ChannelPicker visit={visit} label={words.add} sends />
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
  const days = await askedDays(compared, visit, context);
  const [measure, period] = [measureOf(visit), periodOf(visit)];
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
          <p class="notice">{await refusalText(refusal, visit, context)}</p>
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
      <Figures visit={visit} compared={compared} />
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
              query={comparisonCall(ids, compared)}
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

/** The same figures of each channel, one below the other. */
function Figures({
  visit,
  compared: { cards, rows, recent, comparisons },
}: {
  visit: Visit;
  compared: Compared;
}): JSX.Element {
  const words = visit.words.explorerPages;
  const compareWords = visit.words.comparePages;
  const number = (value: number | null) => (value === null ? "—" : shownNumber(visit, value));
  const columns = [
    words.title,
    `#${words.subscribers}`,
    `#${words.inDays(7)}`,
    `#${words.inDays(30)}`,
    `#${words.viewsPerPost}`,
    `#${words.postsPerDay}`,
    `#${words.err}`,
  ];
  return (
    <DataTable label={visit.words.comparePages.compare} columns={columns}>
      {cards.map((card, at) => {
        const own = rows.filter(({ channel }) => channel === card.id);
        const last = recent.filter(({ channel }) => channel === card.id);
        const { viewsPerPost, postsPerDay } = averagesOf(own);
        const comparison = comparisons.get(card.id);
        return (
          <tr>
            <th scope="row">
              <span class="named-channel">
                <span class={`dot tint-${at}`} />
                <ChannelLink visit={visit} id={card.id} title={card.title} image={card.image} />
              </span>
            </th>
            <td class="number">{number(card.subscribers)}</td>
            {[7, 30].map((days) => (
              <td class="number">
                <ChangeText visit={visit} change={changeOver(last, days)} />
              </td>
            ))}
            <td class="number">
              {number(viewsPerPost)}
              {typeof comparison?.views_median === "number" && (
                <small>{compareWords.median(number(comparison.views_median))}</small>
              )}
            </td>
            <td class="number">
              {number(postsPerDay)}
              {comparison !== undefined && comparison.posts > 0 && (
                <small>{compareWords.ads(number(comparison.ads))}</small>
              )}
            </td>
            <td class="number">{shownPercent(visit, comparison?.err)}</td>
          </tr>
        );
      })}
    </DataTable>
  );
}

function titleOf(visit: Visit, { title }: CardView): string {
  return title.trim() === "" ? visit.words.explorerPages.noTitle : title.trim();
}

/** The page with these channels, and what else it is asked for. */
function hrefOf(visit: Visit, ids: readonly number[], more: Record<string, string>): string {
  const query = { days: periodOf(visit), measure: measureOf(visit), ...more };
  return asset(visit, `${PATH}?${new URLSearchParams({ channels: ids.join(), ...query })}`);
}
