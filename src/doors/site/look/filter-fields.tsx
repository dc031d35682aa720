/** @jsxImportSource hono/jsx */
import type { PropsWithChildren } from "hono/jsx";
import type { Territory } from "../../../catalog/directory/directory.table.ts";
import type { Directory } from "../../../catalog/directory/directory.ts";
import { useVisit } from "../visit/visit.ts";

/**
 * Fields of search forms. Such a form is sent by GET, so that a search has an address, and its fields show
 * the values in that address.
 */

interface FilterProps {
  /** Name of the search; prefix of its fields' ids. */
  search: string;
  /** The filter's name in the API. */
  name: string;
  label: string;
}

export interface Option {
  value: string;
  label: string;
}

export function FilterSelect({
  search,
  name,
  label,
  options,
  chosen = useVisit().query.get(name) ?? "",
}: FilterProps & { options: readonly Option[]; chosen?: string }) {
  const id = `${search}-${name}`;
  return (
    <p class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === chosen}>
            {option.label}
          </option>
        ))}
      </select>
    </p>
  );
}

export function FilterInput({
  search,
  name,
  label,
  hint,
  type,
  isDecimal = false,
  isWide = false,
}: FilterProps & {
  hint?: string;
  type?: "date" | "search";
  /** Whether a phone shows a keyboard of digits only. */
  isDecimal?: boolean;
  /** Whether it takes a row of its own. */
  isWide?: boolean;
}) {
  const visit = useVisit();
  const id = `${search}-${name}`;
  return (
    <p class={isWide ? "field wide" : "field"}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type={type}
        name={name}
        value={visit.query.get(name) ?? ""}
        autocomplete="off"
        inputmode={isDecimal ? "decimal" : undefined}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </p>
  );
}

/** The field for the search text, with the button beside it. */
export function QueryField(props: FilterProps & { hint: string }) {
  return (
    <div class="wide asked">
      <FilterInput {...props} type="search" />
      <button type="submit">{useVisit().words.find}</button>
    </div>
  );
}

/** Filters that are folded, so that results stay within the first screen; the head says how many are used. */
export function MoreFilters({
  names,
  unset,
  children,
}: PropsWithChildren<{
  names: readonly string[];
  /** A value that stands for no choice, besides none. */
  unset?: string;
}>) {
  const { query, words } = useVisit();
  const used = names.filter((name) => !["", unset].includes(query.get(name) ?? "")).length;
  return (
    <details class="wide">
      <summary>
        {words.explorerPages.moreFilters}
        {used > 0 && ` (${used})`}
      </summary>
      <div class="filters">{children}</div>
    </details>
  );
}

export function PlaceFilters({
  search,
  directory,
  category,
  territory,
}: Pick<FilterProps, "search"> & {
  directory: Directory;
  /** Labels. */
  category: string;
  territory: string;
}) {
  const words = useVisit().words.explorerPages;
  const chosen = useVisit().query.get("territory") ?? "";
  return (
    <>
      <FilterSelect
        {...{ search, name: "category", label: category }}
        options={[{ value: "", label: words.anyCategory }, ...categoryOptions(directory)]}
      />
      <FilterSelect
        {...{ search, name: "territory", label: territory }}
        options={[
          { value: "", label: words.anyTerritory },
          ...territoryOptions(directory.territories({}), chosen),
        ]}
      />
    </>
  );
}

export function categoryOptions(directory: Directory): Option[] {
  return directory.categories().map(({ slug, name }) => ({ value: slug, label: name }));
}

/**
 * Options for countries, districts and regions. There are over a thousand cities, so only those of the
 * chosen region are included.
 */
export function territoryOptions(territories: readonly Territory[], chosen: string): Option[] {
  const place = territories.find(({ slug }) => slug === chosen);
  const region = place?.kind === "city" ? place.parent : place?.slug;
  return territories
    .filter(({ kind, parent }) => kind !== "city" || parent === region)
    .map(({ slug, name, path }) => ({
      value: slug,
      // Em spaces, because browsers trim an option's ordinary spaces.
      label: "\u2003".repeat(path.split("/").length - 1) + name,
    }));
}
