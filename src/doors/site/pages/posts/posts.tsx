/** @jsxImportSource hono/jsx */
import type { Directory } from "../../../../catalog/directory/directory.ts";
import { type FoundPost, POST_ORDERINGS } from "../../../../catalog/post-search/post-search.ts";
import { MEDIA } from "../../../../catalog/posts/post.ts";
import { AppError, fieldError } from "../../../../errors.ts";
import type { Page } from "../../../../values/json-text.ts";
import { message } from "../../../../values/messages/messages.ts";
import { dayOf, formatDay } from "../../../../values/moscow-time.ts";
import type { ApiMethod } from "../../../../verbs/method.ts";
import { exportPosts } from "../../../../verbs/methods/export.ts";
import { mostViewedPosts, postsSearchList } from "../../../../verbs/methods/post-search.ts";
import { cutText, filterFaults } from "../../forms/faults.ts";
import {
  FilterInput,
  FilterSelect,
  MoreFilters,
  PlaceFilters,
  QueryField,
} from "../../look/filter-fields.tsx";
import { PlanWithPosts } from "../../look/opening-plan.tsx";
import { shownNumber } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { bulkDownload, lookUp, orRefusal } from "../../visit/look-up.ts";
import { ownPlan } from "../../visit/viewer.ts";
import { asset, page, useVisit } from "../../visit/visit.ts";
import { givenOf, readFilters } from "../channels/catalog-filter.ts";
import { FoundPosts } from "./found-posts.tsx";

const PATH = "/account/posts/";
const PAGE_SIZE = "20";
/** Longest text for screen readers; the page shows it completely. */
const SUMMARY_BYTES_MAX = 500;

type Found = Page<FoundPost> & { matches: number; matches_capped: boolean; note: string | null };

/** `/account/posts/`: posts of all channels, searched as one types. */
export const postsPage: SitePage = {
  path: PATH,
  access: "member",
  async show(visit, context) {
    const words = visit.words.postPages;
    const given = filterOf();
    const hasQuery = (given["q"] ?? "").trim() !== "" || visit.query.has("cursor");
    const opening = hasQuery ? null : await mostViewed(given);
    const found = opening === null ? await search(given) : opening.found;
    const isRefused = found instanceof AppError;
    const text = isRefused
      ? await refusalText(found)
      : opening === null
        ? countText(found)
        : words.mostViewed(opening.days);
    const isFault = isRefused && found.code === "invalid" && !isQueryFault(found);
    return page(
      visit.words.posts,
      <>
        <search>
          <PostSearchForm directory={context.services.directory} />
        </search>
        <p id="results-summary" class="hidden" role="status" />
        <section
          id="results"
          aria-label={words.found}
          data-summary={cutText(text, SUMMARY_BYTES_MAX)}
        >
          {isRefused ? (
            <Notice text={text} error={found} />
          ) : (
            await FoundPosts({
              page: found,
              given,
              summary: text,
              count: found.matches_capped ? null : found.matches,
            })
          )}
        </section>
      </>,
      { status: isFault ? 400 : 200 },
    );
  },
  actions: {
    export() {
      // A file has an order of its own.
      const { ordering: _, ...filter } = filterOf();
      // Without words, the export would contain all posts.
      if (filter["q"] === undefined) throw fieldError({ q: [message("nothingToSearch")] });
      return bulkDownload(exportPosts, filter, "posts");
    },
  },
};

/** Filters given in the address. */
function filterOf(): Record<string, string> {
  return givenOf(readFilters(POST_FILTERS));
}

/** Days in which the most viewed posts are looked for, until there are some. */
const OPENING_DAYS = [1, 7, 30] as const;

/** The most viewed posts of today, or of the last days that have any: how the page opens. */
async function mostViewed(given: Record<string, string>) {
  const today = dayOf(useVisit().nowMs);
  for (const days of OPENING_DAYS) {
    const raw = { from: formatDay(today - days + 1), to: formatDay(today), ...given };
    const found = await searched(mostViewedPosts, raw);
    const isEmpty = !(found instanceof AppError) && found.results.length === 0;
    if (!isEmpty || days === OPENING_DAYS.at(-1)) return { days, found };
  }
  return null;
}

/** Searches through the API's own method; also reports that search is off or not ready yet. */
function search(given: Record<string, string>): Promise<Found | AppError> {
  const cursor = useVisit().query.get("cursor") ?? "";
  return searched(postsSearchList, { ...given, limit: PAGE_SIZE, cursor });
}

export async function searched<Result = Found>(
  method: ApiMethod,
  raw: Record<string, string>,
): Promise<Result | AppError> {
  try {
    return await orRefusal(lookUp<Result>(method, raw));
  } catch (error) {
    const isShownByPage =
      error instanceof AppError &&
      ["postSearchBuilding", "postSearchOff"].includes(error.publicMessage.code);
    if (isShownByPage) return error;
    throw error;
  }
}

function countText({ matches, matches_capped }: Found): string {
  const words = useVisit().words.postPages;
  const number = shownNumber(matches);
  return matches_capped ? words.matchesOver(number) : words.matches(number);
}

/** Whether only `q` is at fault, because somebody is still typing it. */
function isQueryFault({ faults = {} }: AppError): boolean {
  return Object.keys(faults).join() === "q";
}

export async function refusalText(error: AppError): Promise<string> {
  const visit = useVisit();
  const { explorerPages, postPages } = visit.words;
  if (error.code === "tariff_required") {
    return explorerPages.postsClosed((await ownPlan()).code);
  }
  return filterFaults(visit, error, postPages.filters);
}

function Notice({ text, error }: { text: string; error: AppError }) {
  return (
    <p class="notice">
      <bdi>{text}</bdi>
      <PlanWithPosts after={error} />{" "}
      {error.faults?.["cursor"] !== undefined && (
        <a href={asset(PATH)}>{useVisit().words.explorerPages.firstPage}</a>
      )}
    </p>
  );
}

/**
 * All filters of the API's post search, under the API's names, so that the page's address mirrors a
 * request.
 */
const POST_FILTERS = [
  ...(["q", "category", "territory", "ordering"] as const),
  ...(["channel", "from", "to", "is_ad", "media", "views_min"] as const),
];

/** Filters that are folded, without the order, which is folded with them. */
const MORE = POST_FILTERS.slice(POST_FILTERS.indexOf("ordering") + 1);

/** The post search's form. */
function PostSearchForm({ directory }: { directory: Directory }) {
  const { explorerPages, postPages: words } = useVisit().words;
  const field = { search: "posts" };
  const named = (name: (typeof POST_FILTERS)[number]) => ({
    ...field,
    name,
    label: words.filters[name],
  });
  return (
    <form method="get" action={asset(PATH)} data-live="results" class="filters line">
      <QueryField {...field} name="q" label={words.query} hint={words.queryHint} />
      <PlaceFilters
        {...field}
        directory={directory}
        category={words.filters.category}
        territory={words.filters.territory}
      />
      <MoreFilters names={MORE}>
        <FilterSelect
          {...named("ordering")}
          options={POST_ORDERINGS.map((value) => ({ value, label: words.orderings[value] }))}
        />
        <FilterInput {...named("channel")} />
        <FilterInput {...named("from")} type="date" />
        <FilterInput {...named("to")} type="date" />
        <FilterSelect
          {...named("is_ad")}
          options={[
            { value: "", label: words.anyPosts },
            { value: "true", label: words.onlyAds },
            { value: "false", label: words.withoutAds },
          ]}
        />
        <FilterSelect
          {...named("media")}
          options={[
            { value: "", label: words.anyMedia },
            ...MEDIA.map((kind) => ({ value: kind, label: explorerPages.media[kind] })),
          ]}
        />
        <FilterInput {...named("views_min")} isDecimal />
      </MoreFilters>
    </form>
  );
}
