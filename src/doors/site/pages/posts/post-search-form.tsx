/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Directory } from "../../../../catalog/directory/directory.ts";
import { POST_ORDERINGS } from "../../../../catalog/post-search/post-search.ts";
import { MEDIA } from "../../../../catalog/posts/post.ts";
import { asset } from "../../visit/site-path.ts";
import type { Visit } from "../../visit/visit.ts";
import { territoryOptions } from "../channels/catalog-form.tsx";

/** All filters of the API's post search, by the API's names: the page's address is a request. */
export const POST_FILTERS = [
  ...(["q", "category", "territory", "ordering"] as const),
  ...(["channel", "from", "to", "is_ad", "media", "views_min"] as const),
];

/** Filters that are folded until one of them is wanted. */
const MORE = POST_FILTERS.slice(POST_FILTERS.indexOf("channel"));

/** The form of a search in posts; a GET form, so that a search has an address. */
export function PostSearchForm({
  visit,
  directory,
  results,
}: {
  visit: Visit;
  directory: Directory;
  /** Id of the element that shows what was found. */
  results: string;
}): JSX.Element {
  const { explorerPages, postPages: words } = visit.words;
  const given = (name: string): string => visit.query.get(name) ?? "";
  const select = (name: string, label: string, options: { value: string; label: string }[]) => (
    <p class="field">
      <label for={`posts-${name}`}>{label}</label>
      <select id={`posts-${name}`} name={name}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === given(name)}>
            {option.label}
          </option>
        ))}
      </select>
    </p>
  );
  const input = (name: "channel" | "from" | "to" | "views_min", type: string) => (
    <p class="field">
      <label for={`posts-${name}`}>{words.filters[name]}</label>
      <input
        id={`posts-${name}`}
        type={type === "number" ? "text" : type}
        inputmode={type === "number" ? "decimal" : undefined}
        name={name}
        value={given(name)}
        autocomplete="off"
      />
    </p>
  );
  const categories = directory.categories().map(({ slug, name }) => ({ value: slug, label: name }));
  return (
    <form method="get" action={asset(visit, "/account/posts/")} data-live={results} class="filters">
      <p class="field wide">
        <label for="posts-q">{words.query}</label>
        <input
          id="posts-q"
          type="search"
          name="q"
          value={given("q")}
          autocomplete="off"
          aria-describedby="posts-q-hint"
        />
        <small id="posts-q-hint">{words.queryHint}</small>
      </p>
      {select("category", words.filters.category, [
        { value: "", label: explorerPages.anyCategory },
        ...categories,
      ])}
      {select("territory", words.filters.territory, [
        { value: "", label: explorerPages.anyTerritory },
        ...territoryOptions(directory.territories({}), given("territory")),
      ])}
      {select(
        "ordering",
        words.filters.ordering,
        POST_ORDERINGS.map((ordering) => ({ value: ordering, label: words.orderings[ordering] })),
      )}
      <p class="field">
        <button type="submit">{explorerPages.find}</button>
      </p>
      <details class="wide" open={MORE.some((name) => given(name) !== "")}>
        <summary>{explorerPages.moreFilters}</summary>
        <div class="filters">
          {input("channel", "text")}
          {input("from", "date")}
          {input("to", "date")}
          {select("is_ad", words.filters.is_ad, [
            { value: "", label: words.anyPosts },
            { value: "true", label: words.onlyAds },
            { value: "false", label: words.withoutAds },
          ])}
          {select("media", words.filters.media, [
            { value: "", label: words.anyMedia },
            ...MEDIA.map((kind) => ({ value: kind, label: explorerPages.media[kind] })),
          ])}
          {input("views_min", "number")}
        </div>
      </details>
    </form>
  );
}
