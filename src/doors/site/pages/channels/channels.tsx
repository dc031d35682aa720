/** @jsxImportSource hono/jsx */
import { CHANNEL_KINDS } from "../../../../catalog/channels/channel-reference.ts";
import type { Directory } from "../../../../catalog/directory/directory.ts";
import { FILTERED_METRICS } from "../../../../catalog/metrics/metrics.ts";
import { CATALOG_ORDERINGS, type CatalogCount } from "../../../../catalog/search/catalog.ts";
import { AppError } from "../../../../errors.ts";
import { parseNumber } from "../../../../values/fields.ts";
import { QUERY_LENGTH_MIN } from "../../../../verbs/methods/catalog-filter.ts";
import { SEARCH_PARAMETERS } from "../../../../verbs/methods/channels.ts";
import { exportChannels } from "../../../../verbs/methods/export.ts";
import { cutText, filterFaults } from "../../forms/faults.ts";
import { ApiCall, DownloadForm } from "../../look/api-call.tsx";
import { ChannelLink } from "../../look/channel-link.tsx";
import { Pager } from "../../look/data-table.tsx";
import {
  FilterInput,
  FilterSelect,
  MoreFilters,
  PlaceFilters,
  QueryField,
} from "../../look/filter-fields.tsx";
import { shownNumber } from "../../look/shown.tsx";
import { Done, ImportLink } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { bulkDownload, orRefusal } from "../../visit/look-up.ts";
import { asset, page, useVisit, type View } from "../../visit/visit.ts";
import type { Filter, FoundChannels } from "./catalog-filter.ts";
import { countChannels, filterOf, findChannels, givenOf } from "./catalog-filter.ts";
import { CatalogTable, COMPARE } from "./catalog-table.tsx";
import { MetricsComing } from "./channel-figures.tsx";
import { SavedLists, savedListActions } from "./saved-lists.tsx";

const PATH = "/account/channels/";
const PAGE_SIZE = 50;
/** The address's `show` for the channels that were added last. */
const NEW = "new";
/** Longest text for screen readers; the page shows it completely. */
const SUMMARY_BYTES_MAX = 500;

/** `/account/channels/`: the catalog, searched as one types. */
export const channelsPage: SitePage = {
  path: PATH,
  access: "member",
  async show(visit, context) {
    const { query } = visit;
    const filter =
      query.get("show") === NEW
        ? { ...filterOf(), ids: context.services.channels.newest(PAGE_SIZE).join() }
        : filterOf();
    if (query.get("as") === "choices") return channelChoices(filter);
    const wanted = { limit: PAGE_SIZE, cursor: query.get("cursor") ?? "" };
    const [found, count] = await Promise.all([
      orRefusal(findChannels(filter, wanted)),
      countChannels(filter),
    ]);
    const isRefused = found instanceof AppError;
    const summary = isRefused
      ? cutText(messageOf(found), SUMMARY_BYTES_MAX)
      : countText(count, found.results.length);
    const isFault = isRefused && found.code === "invalid" && !isShortQuery(found);
    return page(
      visit.words.channels,
      <>
        <Done />
        <search>
          <CatalogForm directory={context.services.directory} />
        </search>
        <p id="results-summary" class="hidden" role="status" />
        <section id="results" aria-label={visit.words.explorerPages.found} data-summary={summary}>
          <div class="row">
            <Presets filter={filter} />
            <SavedLists maySave={!isRefused && !query.has("show")} />
          </div>
          {isRefused ? (
            <Refusal error={found} />
          ) : (
            await CatalogResults({ page: found, filter, summary, count })
          )}
        </section>
      </>,
      { status: isFault ? 400 : 200 },
    );
  },
  actions: {
    ...savedListActions,
    export() {
      const { ids: _, ordering: __, ...filter } = givenOf(filterOf()) as Partial<Filter>;
      return bulkDownload(exportChannels, filter, "channels");
    },
  },
};

function countText(count: CatalogCount | null, shown: number): string {
  const words = useVisit().words.explorerPages;
  if (count === null) return words.foundOnPage(shown);
  const number = shownNumber(count.channels);
  return count.isMore ? words.matchesOver(number) : words.matches(number);
}

function Refusal({ error }: { error: AppError }) {
  return (
    <p class="notice">
      <bdi>{messageOf(error)}</bdi>{" "}
      {error.faults?.["cursor"] !== undefined && (
        <a href={asset(PATH)}>{useVisit().words.explorerPages.firstPage}</a>
      )}
    </p>
  );
}

/** Whether the only fault is a `q` that is too short, because somebody is still typing it. */
function isShortQuery({ faults = {} }: AppError): boolean {
  const { query } = useVisit();
  const length = [...(query.get("q") ?? "").trim()].length;
  return Object.keys(faults).join() === "q" && length < QUERY_LENGTH_MIN;
}

function messageOf(error: AppError): string {
  const visit = useVisit();
  const words = visit.words.explorerPages;
  return isShortQuery(error) ? words.shortQuery : filterFaults(visit, error, words.filters);
}

const CHOICES_MAX = 8;

/**
 * Channels suggested while a form's field is being typed: a number finds its channel, anything else
 * searches the catalog.
 */
async function channelChoices(filter: Filter): Promise<View> {
  const isNumber = parseNumber(filter.q.trim()) !== null;
  const search = isNumber ? { ...filter, ids: filter.q.trim() } : filter;
  const page = { limit: CHOICES_MAX, cursor: "" };
  const found = await orRefusal(findChannels(search, page));
  const cards = found instanceof AppError ? [] : found.results;
  return {
    kind: "json",
    value: cards.map(({ id, title, handle, subscribers }) => ({ id, title, handle, subscribers })),
  };
}

/** Orders that people look for, and `new`: the channels that were added last. */
const PRESETS = ["-subscribers", "-growth_30d_percent", NEW, "-citation"] as const;

/** The same search in these orders. */
function Presets({ filter }: { filter: Filter }) {
  const { query, words } = useVisit();
  const { presets } = words.explorerPages;
  const shown = query.has("show") ? NEW : filter.ordering || PRESETS[0];
  return (
    <nav aria-label={words.explorerPages.ordering} class="choices presets">
      {PRESETS.map((preset) => {
        const given = preset === NEW ? { show: NEW } : { ...filter, ids: "", ordering: preset };
        return (
          <a
            href={asset(`${PATH}?${new URLSearchParams(givenOf(given))}`)}
            aria-current={preset === shown ? "true" : undefined}
          >
            {presets[preset]}
          </a>
        );
      })}
      <a href={asset("/account/trending/")}>{words.trendingPage.title}</a>
    </nav>
  );
}

interface ResultsProps {
  page: FoundChannels;
  filter: Filter;
  /** Number of results, in words. */
  summary: string;
  count: CatalogCount | null;
}

/** The channels found: their number, a table, a download, and the API request. */
async function CatalogResults({ page, filter, summary, count }: ResultsProps) {
  const visit = useVisit();
  const words = visit.words.explorerPages;
  const given = givenOf(filter);
  if (page.results.length === 0) {
    const isFiltered = Object.keys(given).length > 0;
    const isStaff = visit.signedIn?.person.isStaff === true;
    return (
      <>
        <p class="empty">
          {isFiltered ? words.nothingFound : words.noChannels}{" "}
          {!isFiltered && isStaff && <ImportLink />}
        </p>
        {page.suggestions !== undefined && page.suggestions.length > 0 && (
          <section aria-labelledby="nearest">
            <h2 id="nearest">{words.nearestTitles}</h2>
            <ul>
              {page.suggestions.map(({ id, title, subscribers }) => (
                <li>
                  <ChannelLink id={id} title={title} image={null} />{" "}
                  <small>{shownNumber(subscribers)}</small>
                </li>
              ))}
            </ul>
          </section>
        )}
        {page.note !== undefined && <p class="notice">{page.note}</p>}
      </>
    );
  }
  return (
    <>
      <div class="row apart">
        <strong>{summary}</strong>
        <form id={COMPARE} method="get" action={asset("/account/compare/")} class="row">
          <button type="submit" class="second small">
            {words.compareChosen}
          </button>
        </form>
      </div>
      {page.note !== undefined && <p class="notice">{page.note}</p>}
      {page.results.some(({ metrics }) => metrics?.growth_30d == null) && (await MetricsComing())}
      {await CatalogTable({ cards: page.results, given })}
      <Pager page={page} path={PATH} given={given} />
      {
        // The export has no filter by a list of numbers.
        filter.ids === "" &&
          (await DownloadForm({
            perThousand: visit.words.mentionPages.unitsPerThousand,
            rows: count === null || count.isMore ? null : count.channels,
          }))
      }
      <details class="folded">
        <summary>{words.listAsCall}</summary>
        <ApiCall label={words.listAsCall} path="/v1/msgr/channels/" query={given} />
      </details>
    </>
  );
}

/** Filters that are folded, without the order, which is folded with them. */
const MORE = SEARCH_PARAMETERS.slice(
  SEARCH_PARAMETERS.indexOf("kind"),
  SEARCH_PARAMETERS.indexOf("ordering"),
);
const NUMBERS = [
  ...(["subscribers_min", "subscribers_max"] as const),
  ...FILTERED_METRICS.map((metric) => `${metric}_min` as const),
];

/** The catalog's search form. */
function CatalogForm({ directory }: { directory: Directory }) {
  const { channelFields: labels, explorerPages: words } = useVisit().words;
  const field = { search: "catalog" };
  const marks = [
    { value: "", label: words.anyMark },
    { value: "true", label: words.withMark },
    { value: "false", label: words.withoutMark },
  ];
  return (
    <form method="get" action={asset(PATH)} data-live="results" class="filters line">
      <QueryField {...field} name="q" label={words.query} hint={words.queryHint} />
      <PlaceFilters
        {...field}
        directory={directory}
        category={labels.category}
        territory={labels.territory}
      />
      <MoreFilters names={MORE} unset={CHANNEL_KINDS[0]}>
        <FilterSelect
          {...field}
          name="kind"
          label={labels.kind}
          options={CHANNEL_KINDS.map((kind) => ({ value: kind, label: words.kinds[kind] }))}
        />
        <FilterSelect
          {...field}
          name="ordering"
          label={words.ordering}
          options={CATALOG_ORDERINGS.map((value) => ({ value, label: words.orderings[value] }))}
        />
        {NUMBERS.map((name) => (
          <FilterInput
            {...field}
            name={name}
            label={words.filters[name]}
            // A loss is entered with a minus sign, which a phone's keyboard of digits lacks.
            isDecimal={name !== "growth_30d_min"}
          />
        ))}
        {(["a_plus", "verified"] as const).map((name) => (
          <FilterSelect {...field} name={name} label={words.filters[name]} options={marks} />
        ))}
        <FilterInput {...field} name="ids" label={words.filters.ids} hint={words.idsHint} isWide />
      </MoreFilters>
    </form>
  );
}
