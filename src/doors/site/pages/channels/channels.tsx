/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { CardView } from "../../../../catalog/channels/card.ts";
import { AppError } from "../../../../errors.ts";
import { channelsList, QUERY_LENGTH_MIN } from "../../../../methods/channels.ts";
import type { Page } from "../../../../values/json-text.ts";
import { cutFaults, cutText } from "../../forms/cut-text.ts";
import { told } from "../../forms/told.ts";
import { Scroll } from "../../look/data-table.tsx";
import { asset } from "../../look/layout.tsx";
import { shownNumber } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { lookUp, nextCursor, orRefusal } from "../../visit/look-up.ts";
import type { Visit } from "../../visit/visit.ts";
import { WORDS } from "../../words/words.ts";
import { CatalogForm, FILTERS } from "./catalog-form.tsx";

const PATH = "/account/channels/";
const PAGE_SIZE = "50";
/** Longest text for screen readers; the page has the whole of it. */
const SUMMARY_BYTES_MAX = 500;

/** `/account/channels/`: the catalog, searched as one types. */
export const channelsPage: SitePage = {
  path: PATH,
  access: "member",
  async show(visit, context) {
    const { query } = visit;
    const filter = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""]));
    const raw = { ...filter, limit: PAGE_SIZE, cursor: query.get("cursor") ?? "" };
    const found = await orRefusal(lookUp<Page<CardView>>(channelsList, raw, visit, context));
    const names = new Map(
      context.services.directory.categories().map(({ slug, name }) => [slug, name]),
    );
    const words = visit.words.explorerPages;
    const summary =
      found instanceof AppError
        ? cutText(messageOf(visit, found), SUMMARY_BYTES_MAX)
        : words.foundOnPage(found.results.length);
    const isFault =
      found instanceof AppError && found.code === "invalid" && !isShortQuery(visit, found);
    return {
      kind: "page",
      title: visit.words.channels,
      status: isFault ? 400 : 200,
      body: (
        <>
          <search>
            <CatalogForm visit={visit} directory={context.services.directory} results="results" />
          </search>
          <p id="results-summary" class="hidden" role="status" />
          <section id="results" aria-label={words.found} data-summary={summary}>
            {found instanceof AppError ? (
              <Refusal visit={visit} error={found} />
            ) : (
              <Results visit={visit} page={found} categoryNames={names} filter={filter} />
            )}
          </section>
        </>
      ),
    };
  },
};

function Refusal({ visit, error }: { visit: Visit; error: AppError }): JSX.Element {
  return (
    <p class="notice">
      <bdi>{messageOf(visit, error)}</bdi>{" "}
      {error.faults?.["cursor"] !== undefined && (
        <a href={asset(visit, PATH)}>{visit.words.explorerPages.firstPage}</a>
      )}
    </p>
  );
}

/** Whether nothing but `q` is wrong, and that only too short: somebody is still typing it. */
function isShortQuery({ query }: Visit, { faults = {} }: AppError): boolean {
  const length = [...(query.get("q") ?? "").trim()].length;
  return Object.keys(faults).join() === "q" && length < QUERY_LENGTH_MIN;
}

function messageOf(visit: Visit, error: AppError): string {
  const { language } = visit;
  if (isShortQuery(visit, error)) return WORDS[language].explorerPages.shortQuery;
  const fields = cutFaults(told(language, error));
  const words = WORDS[language].explorerPages;
  const labels: Record<string, string> = {
    q: words.query,
    category: words.category,
    territory: words.territory,
    kind: words.kind,
    ordering: words.ordering,
  };
  return Object.entries(fields)
    .map(([name, messages]) => {
      const told = messages.join(" ");
      return name in labels ? `${labels[name]}: ${told}` : told;
    })
    .join(" ");
}

interface ResultsProps {
  visit: Visit;
  page: Page<CardView>;
  categoryNames: ReadonlyMap<string, string>;
  filter: Record<string, string>;
}

function Results({ visit, page, categoryNames, filter }: ResultsProps): JSX.Element {
  const words = visit.words.explorerPages;
  const cursor = nextCursor(page);
  const given = Object.entries(filter).filter(([, value]) => value !== "");
  const hrefOf = (more: [string, string][]) =>
    asset(visit, `${PATH}?${new URLSearchParams([...given, ...more])}`);
  if (page.results.length === 0) return <p>{words.nothingFound}</p>;
  return (
    <>
      <Scroll label={words.found}>
        <table class="listed">
          <thead>
            <tr>
              <th scope="col">{words.title}</th>
              <th scope="col">{words.handle}</th>
              <th scope="col" class="number">
                {words.subscribers}
              </th>
              <th scope="col">{words.category}</th>
            </tr>
          </thead>
          <tbody>
            {page.results.map(({ id, title, handle, subscribers, category }) => (
              <tr>
                <td class="address">
                  <a href={asset(visit, `${PATH}${id}/`)}>
                    <bdi>{title.trim() === "" ? words.noTitle : title}</bdi>
                  </a>
                </td>
                <td data-label={words.handle}>{handle !== null && <bdi>{`@${handle}`}</bdi>}</td>
                <td class="number" data-label={words.subscribers}>
                  {shownNumber(visit, subscribers)}
                </td>
                <td data-label={words.category}>
                  {category !== null && <bdi>{categoryNames.get(category) ?? category}</bdi>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="row">
        {visit.query.get("cursor") && <a href={hrefOf([])}>{words.firstPage}</a>}
        {cursor !== null && (
          <a href={hrefOf([["cursor", cursor]])} rel="next">
            {words.nextPage}
          </a>
        )}
      </p>
    </>
  );
}
