/** @jsxImportSource hono/jsx */
import type { CatalogCount } from "../../../../catalog/search/catalog.ts";
import { AppError } from "../../../../errors.ts";
import { QUERY_LENGTH_MIN } from "../../../../verbs/catalog-filter.ts";
import { exportChannels } from "../../../../verbs/export.ts";
import { cutText } from "../../forms/cut-text.ts";
import { filterFaults } from "../../forms/filter-faults.ts";
import { shownNumber } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { bulkDownload } from "../../visit/bulk-download.ts";
import { orRefusal } from "../../visit/look-up.ts";
import { asset } from "../../visit/site-path.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { page } from "../../visit/view.ts";
import { countChannels, type Filter, filterOf, findChannels, givenOf } from "./catalog-filter.ts";
import { CatalogForm } from "./catalog-form.tsx";
import { CatalogResults } from "./catalog-results.tsx";
import { channelChoices } from "./channel-choices.ts";

const PATH = "/account/channels/";
const PAGE_SIZE = 50;
/** Longest text for screen readers; the page shows it completely. */
const SUMMARY_BYTES_MAX = 500;

/** `/account/channels/`: the catalog, searched as one types. */
export const channelsPage: SitePage = {
  path: PATH,
  access: "member",
  async show(visit, context) {
    const { query } = visit;
    const filter = filterOf();
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
        <search>
          <CatalogForm directory={context.services.directory} />
        </search>
        <p id="results-summary" class="hidden" role="status" />
        <p>
          <a href={asset("/account/trending/")}>{visit.words.trendingPage.title}</a>
        </p>
        <section id="results" aria-label={visit.words.explorerPages.found} data-summary={summary}>
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
  const visit = useVisit();
  return (
    <p class="notice">
      <bdi>{messageOf(error)}</bdi>{" "}
      {error.faults?.["cursor"] !== undefined && (
        <a href={asset(PATH)}>{visit.words.explorerPages.firstPage}</a>
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
