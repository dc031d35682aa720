/** @jsxImportSource hono/jsx */
import type { CardAnswer } from "../../../../catalog/channels/stored-card.ts";
import type { TrendView } from "../../../../catalog/trends/trends.ts";
import { AppError } from "../../../../errors.ts";
import { trendsList } from "../../../../verbs/methods/trends.ts";
import { DataTable } from "../../look/data-table.tsx";
import { Sparkline } from "../../look/day-chart.tsx";
import { FilterSelect, PlaceFilters } from "../../look/filter-fields.tsx";
import { Moment, shownNumber } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { lookUp, orRefusal } from "../../visit/look-up.ts";
import { asset, page, useSite, useVisit } from "../../visit/visit.ts";
import { WORD_PATH } from "../posts/word.tsx";
import { type Filter, filterOf, findChannels, givenOf } from "./catalog-filter.ts";
import { CatalogTable, COMPARE } from "./catalog-table.tsx";
import { MetricsComing } from "./channel-figures.tsx";

type Answer = { results: TrendView[]; made_at: string | null; note: string | null };

const PATH = "/account/trending/";
const SHOWN_MAX = 30;
const ORDERINGS = ["-growth_30d_percent", "-growth_7d", "-growth_30d"] as const;

/** `/account/trending/`: the channels that grow most and the words that rise, by category and territory. */
export const trendingPage: SitePage = {
  path: PATH,
  access: "member",
  async show(visit) {
    const words = visit.words.trendingPage;
    const filter = trendingOf();
    const found = await orRefusal(findChannels(filter, { limit: SHOWN_MAX, cursor: "" }));
    const isFault = found instanceof AppError;
    const grown = isFault ? [] : found.results.filter(hasGrown);
    const rising = isFault ? null : await TrendingWords(filter);
    return page(
      words.title,
      <>
        <p>
          {words.about} {rising && <a href="#words">{words.wordsTitle}</a>}
        </p>
        <TrendingForm ordering={filter.ordering} />
        {grown.length === 0 ? (
          ((await MetricsComing()) ?? <p class="empty">{words.nothing}</p>)
        ) : (
          <>
            <form id={COMPARE} method="get" action={asset("/account/compare/")}>
              <p class="row apart">
                <a href={asset(`/account/channels/?${new URLSearchParams(givenOf(filter))}`)}>
                  {words.all}
                </a>
                <button type="submit" class="second small">
                  {visit.words.explorerPages.compareChosen}
                </button>
              </p>
            </form>
            {await CatalogTable({ cards: grown })}
          </>
        )}
        {!isFault && found.note !== undefined && <p class="notice">{found.note}</p>}
        {rising}
      </>,
      { status: isFault ? 400 : 200 },
    );
  },
};

/** Words that rise, from the API's own method; nothing if the plan does not include posts. */
async function TrendingWords({ category, territory }: Filter) {
  const words = useVisit().words.trendingPage;
  const found = await orRefusal(
    lookUp<Answer>(trendsList, { ...givenOf({ category, territory }), limit: "20" }),
  );
  if (found instanceof AppError) return null;
  const { results, made_at, note } = found;
  return (
    <section class="card" aria-labelledby="words">
      <h2 id="words">{words.wordsTitle}</h2>
      <p>
        {words.wordsAbout}{" "}
        {made_at !== null && (
          <small>
            {words.wordsMadeAt} <Moment at={made_at} />.
          </small>
        )}
      </p>
      {note !== null && <p class="notice">{note}</p>}
      {results.length === 0 ? (
        made_at !== null && <p class="empty">{words.noWords}</p>
      ) : (
        <DataTable
          label={words.wordsTitle}
          rows={results}
          columns={[
            [
              words.word,
              ({ words: said }) => (
                <a href={asset(`${WORD_PATH}?${new URLSearchParams({ q: searchOf(said) })}`)}>
                  <bdi>{said}</bdi>
                </a>
              ),
              "row",
            ],
            [words.channelsWith, ({ channels }) => shownNumber(channels), "number"],
            [words.usually, ({ channels_usual: usual }) => shownNumber(usual), "number"],
            [words.postsWith, ({ posts }) => shownNumber(posts), "number"],
            [words.viewsOf, ({ views }) => shownNumber(views), "number"],
            [words.byHour, ({ by_hour: posts }) => <Sparkline values={posts} />],
          ]}
        />
      )}
    </section>
  );
}

/** The words as a search: of a pair those posts in which it stands together. */
const searchOf = (words: string): string => (words.includes(" ") ? `"${words}"` : words);

/** Category, territory and ordering by growth, from the address; no other filters. */
function trendingOf(): Filter {
  const given = filterOf();
  const empty = Object.fromEntries(Object.keys(given).map((name) => [name, ""])) as Filter;
  const { category, territory } = given;
  const ordering = ORDERINGS.find((one) => one === given.ordering) ?? ORDERINGS[0];
  return { ...empty, category, territory, ordering };
}

function hasGrown({ metrics }: CardAnswer): boolean {
  return (metrics?.growth_30d ?? 0) > 0 || (metrics?.growth_7d ?? 0) > 0;
}

function TrendingForm({ ordering }: { ordering: string }) {
  const { services } = useSite();
  const { channelFields: labels, explorerPages: words, find } = useVisit().words;
  const field = { search: "trending" };
  return (
    <form method="get" action={asset(PATH)} class="filters">
      <PlaceFilters
        {...field}
        directory={services.directory}
        category={labels.category}
        territory={labels.territory}
      />
      <FilterSelect
        {...field}
        name="ordering"
        label={words.ordering}
        options={ORDERINGS.map((value) => ({ value, label: words.orderings[value] }))}
        chosen={ordering}
      />
      <p class="field">
        <button type="submit">{find}</button>
      </p>
    </form>
  );
}
