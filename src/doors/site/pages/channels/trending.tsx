/** @jsxImportSource hono/jsx */
import type { CardAnswer } from "../../../../catalog/channels/stored-card.ts";
import { AppError } from "../../../../errors.ts";
import { FilterSelect, PlaceFilters } from "../../look/filter-fields.tsx";
import type { SitePage } from "../../site-pages.ts";
import { orRefusal } from "../../visit/look-up.ts";
import { asset, page, useSite, useVisit } from "../../visit/visit.ts";
import { type Filter, filterOf, findChannels, givenOf } from "./catalog-filter.ts";
import { CatalogTable, COMPARE } from "./catalog-table.tsx";
import { MetricsComing } from "./channel-figures.tsx";

const PATH = "/account/trending/";
const SHOWN_MAX = 30;
const ORDERINGS = ["-growth_30d_percent", "-growth_7d", "-growth_30d"] as const;

/** `/account/trending/`: the channels that grow most, by category and territory. */
export const trendingPage: SitePage = {
  path: PATH,
  access: "member",
  async show(visit) {
    const words = visit.words.trendingPage;
    const filter = trendingOf();
    const found = await orRefusal(findChannels(filter, { limit: SHOWN_MAX, cursor: "" }));
    const isFault = found instanceof AppError;
    const grown = isFault ? [] : found.results.filter(hasGrown);
    return page(
      words.title,
      <>
        <p>{words.about}</p>
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
      </>,
      { status: isFault ? 400 : 200 },
    );
  },
};

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
  const { channelFields: labels, explorerPages: words } = useVisit().words;
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
        <button type="submit">{words.find}</button>
      </p>
    </form>
  );
}
