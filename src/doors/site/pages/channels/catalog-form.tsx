/** @jsxImportSource hono/jsx */
import { CHANNEL_KINDS } from "../../../../catalog/channels/channel-kind.ts";
import type { Directory } from "../../../../catalog/directory/directory.ts";
import { CATALOG_ORDERINGS } from "../../../../catalog/search/catalog.ts";
import { FilterInput, FilterSelect, PlaceFilters, QueryField } from "../../look/filter-fields.tsx";
import { asset } from "../../visit/site-path.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { FILTERS } from "./catalog-filter.ts";

/** Filters that are folded until one of them is used. */
const MORE = FILTERS.slice(FILTERS.indexOf("subscribers_min"), FILTERS.indexOf("ordering"));
const NUMBERS = [
  ...(["subscribers_min", "subscribers_max"] as const),
  ...(["growth_30d_min", "reach_30d_min", "err_30d_min"] as const),
];

/** The catalog's search form. */
export function CatalogForm({ directory }: { directory: Directory }) {
  const visit = useVisit();
  const { channelFields: labels, explorerPages: words } = visit.words;
  const field = { search: "catalog" };
  const marks = [
    { value: "", label: words.anyMark },
    { value: "true", label: words.withMark },
    { value: "false", label: words.withoutMark },
  ];
  return (
    <form method="get" action={asset("/account/channels/")} data-live="results" class="filters">
      <QueryField {...field} name="q" label={words.query} hint={words.queryHint} />
      <PlaceFilters
        {...field}
        directory={directory}
        category={labels.category}
        territory={labels.territory}
      />
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
      <details class="wide" open={MORE.some((name) => visit.query.get(name))}>
        <summary>{words.moreFilters}</summary>
        <div class="filters">
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
          <FilterInput
            {...field}
            name="ids"
            label={words.filters.ids}
            hint={words.idsHint}
            isWide
          />
        </div>
      </details>
    </form>
  );
}
