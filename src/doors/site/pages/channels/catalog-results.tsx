/** @jsxImportSource hono/jsx */
import type { CardAnswer } from "../../../../catalog/channels/cards-with-metrics.ts";
import type { CatalogCount } from "../../../../catalog/search/catalog.ts";
import type { Page } from "../../../../values/json-text.ts";
import { ApiCall } from "../../look/api-call.tsx";
import { DownloadForm } from "../../look/download-form.tsx";
import { ImportLink } from "../../look/import-link.tsx";
import { Pager } from "../../look/pager.tsx";
import { asset } from "../../visit/site-path.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { type Filter, givenOf } from "./catalog-filter.ts";
import { CatalogTable, COMPARE } from "./catalog-table.tsx";
import { MetricsComing } from "./metrics-coming.tsx";

interface ResultsProps {
  page: Page<CardAnswer>;
  filter: Filter;
  /** Number of results, in words. */
  summary: string;
  count: CatalogCount | null;
}

/** The channels found: their number, a table, a download, and the API request. */
export async function CatalogResults({ page, filter, summary, count }: ResultsProps) {
  const visit = useVisit();
  const words = visit.words.explorerPages;
  const given = givenOf(filter);
  if (page.results.length === 0) {
    const isFiltered = Object.keys(given).length > 0;
    const isStaff = visit.signedIn?.person.isStaff === true;
    return (
      <p class="empty">
        {isFiltered ? words.nothingFound : words.noChannels}{" "}
        {!isFiltered && isStaff && <ImportLink />}
      </p>
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
      {page.results.some(({ metrics }) => metrics?.growth_30d == null) && (await MetricsComing())}
      {await CatalogTable({ cards: page.results })}
      <Pager page={page} path="/account/channels/" given={given} />
    </>
  );
}
