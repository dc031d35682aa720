/** @jsxImportSource hono/jsx */
import type { Directory } from "../../../../catalog/directory/directory.ts";
import { POST_ORDERINGS } from "../../../../catalog/post-search/post-search.ts";
import { MEDIA } from "../../../../catalog/posts/post.ts";
import { FilterInput, FilterSelect, PlaceFilters, QueryField } from "../../look/filter-fields.tsx";
import { asset } from "../../visit/site-path.ts";
import { useVisit } from "../../visit/use-visit.ts";

/**
 * All filters of the API's post search, under the API's names, so that the page's address mirrors a
 * request.
 */
export const POST_FILTERS = [
  ...(["q", "category", "territory", "ordering"] as const),
  ...(["channel", "from", "to", "is_ad", "media", "views_min"] as const),
];

/** Filters that are folded until one of them is used. */
const MORE = POST_FILTERS.slice(POST_FILTERS.indexOf("channel"));

/** The post search's form. */
export function PostSearchForm({ directory }: { directory: Directory }) {
  const visit = useVisit();
  const { explorerPages, postPages: words } = visit.words;
  const field = { search: "posts" };
  const named = (name: (typeof POST_FILTERS)[number]) => ({
    ...field,
    name,
    label: words.filters[name],
  });
  return (
    <form method="get" action={asset("/account/posts/")} data-live="results" class="filters">
      <QueryField {...field} name="q" label={words.query} hint={words.queryHint} />
      <PlaceFilters
        {...field}
        directory={directory}
        category={words.filters.category}
        territory={words.filters.territory}
      />
      <FilterSelect
        {...named("ordering")}
        options={POST_ORDERINGS.map((value) => ({ value, label: words.orderings[value] }))}
      />
      <details class="wide" open={MORE.some((name) => visit.query.get(name))}>
        <summary>{explorerPages.moreFilters}</summary>
        <div class="filters">
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
        </div>
      </details>
    </form>
  );
}
