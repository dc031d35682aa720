/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { CHANNEL_KINDS } from "../../../../catalog/channels/channel-kind.ts";
import type { Territory } from "../../../../catalog/directory/directory.table.ts";
import type { Directory } from "../../../../catalog/directory/directory.ts";
import { CATALOG_ORDERINGS } from "../../../../catalog/search/catalog.ts";
import { asset } from "../../visit/site-path.ts";
import type { Visit } from "../../visit/visit.ts";
import { FILTERS } from "./catalog-filter.ts";

/** Filters that are folded until one of them is wanted. */
const MORE = FILTERS.slice(FILTERS.indexOf("subscribers_min"), FILTERS.indexOf("ordering"));

type NumberFilter = Extract<(typeof FILTERS)[number], `${string}_min` | `${string}_max`>;

interface Option {
  value: string;
  label: string;
}

/** The form of a search: by GET, so that a search has an address. */
export function CatalogForm({
  visit,
  directory,
  results,
}: {
  visit: Visit;
  directory: Directory;
  /** Id of the element that shows what was found. */
  results: string;
}): JSX.Element {
  const words = visit.words.explorerPages;
  const territory = visit.query.get("territory") ?? "";
  const categories = directory.categories().map(({ slug, name }) => ({ value: slug, label: name }));
  const select = (name: string, label: string, options: readonly Option[]) => (
    <p class="field">
      <label for={`catalog-${name}`}>{label}</label>
      <select id={`catalog-${name}`} name={name}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === visit.query.get(name)}>
            {option.label}
          </option>
        ))}
      </select>
    </p>
  );
  const number = (name: NumberFilter) => (
    <p class="field">
      <label for={`catalog-${name}`}>{words.filters[name]}</label>
      <input
        id={`catalog-${name}`}
        name={name}
        value={visit.query.get(name) ?? ""}
        autocomplete="off"
        inputmode={name === "growth_30d_min" ? undefined : "decimal"}
      />
    </p>
  );
  return (
    <form
      method="get"
      action={asset(visit, "/account/channels/")}
      data-live={results}
      class="filters"
    >
      <div class="wide asked">
        <p class="field">
          <label for="catalog-q">{words.query}</label>
          <input
            id="catalog-q"
            type="search"
            name="q"
            value={visit.query.get("q") ?? ""}
            autocomplete="off"
            aria-describedby="catalog-q-hint"
          />
          <small id="catalog-q-hint">{words.queryHint}</small>
        </p>
        <button type="submit">{words.find}</button>
      </div>
      {select("category", words.category, [{ value: "", label: words.anyCategory }, ...categories])}
      {select("territory", words.territory, [
        { value: "", label: words.anyTerritory },
        ...territoryOptions(directory.territories({}), territory),
      ])}
      {select(
        "kind",
        words.kind,
        CHANNEL_KINDS.map((kind) => ({ value: kind, label: words.kinds[kind] })),
      )}
      {select(
        "ordering",
        words.ordering,
        CATALOG_ORDERINGS.map((ordering) => ({
          value: ordering,
          label: words.orderings[ordering],
        })),
      )}
      <details class="wide" open={MORE.some((name) => visit.query.get(name))}>
        <summary>{words.moreFilters}</summary>
        <div class="filters">
          {number("subscribers_min")}
          {number("subscribers_max")}
          {number("growth_30d_min")}
          {number("reach_30d_min")}
          {number("err_30d_min")}
          {(["a_plus", "verified"] as const).map((name) =>
            select(name, words.filters[name], [
              { value: "", label: words.anyMark },
              { value: "true", label: words.withMark },
              { value: "false", label: words.withoutMark },
            ]),
          )}
          <p class="field wide">
            <label for="catalog-ids">{words.filters.ids}</label>
            <input
              id="catalog-ids"
              name="ids"
              value={visit.query.get("ids") ?? ""}
              autocomplete="off"
              aria-describedby="catalog-ids-hint"
            />
            <small id="catalog-ids-hint">{words.idsHint}</small>
          </p>
        </div>
      </details>
    </form>
  );
}

/**
 * Options for countries, districts and regions. There are over a thousand cities, so only those of the
 * chosen region are offered.
 */
export function territoryOptions(territories: readonly Territory[], chosen: string): Option[] {
  const place = territories.find(({ slug }) => slug === chosen);
  const region = place?.kind === "city" ? place.parent : place?.slug;
  return territories
    .filter(({ kind, parent }) => kind !== "city" || parent === region)
    .map(({ slug, name, path }) => ({
      value: slug,
      // An option's own blanks would be trimmed.
      label: "\u2003".repeat(path.split("/").length - 1) + name,
    }));
}
