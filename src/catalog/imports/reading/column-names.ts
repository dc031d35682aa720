import { AppError } from "../../../errors.ts";
import { shortened } from "../../../values/fields.ts";
import { message } from "../../../values/messages/messages.ts";
import { IMPORT_KIND_NAMES, type ImportKindName, importKinds } from "../kinds/import-kinds.ts";
import { columnsOfHeader, isNotNeeded } from "./known-headers.ts";
import type { Recognized } from "./recognized.ts";

export interface Naming {
  /** Our column names by the file's, where they differ. */
  map: Readonly<Record<string, string>>;
  /** Whether unknown columns are ignored; otherwise they are refused by name. */
  ignoreUnknown: boolean;
  /** Cells for columns that the file lacks, by our names. */
  set?: Readonly<Record<string, string>>;
}

const IGNORED_SHOWN = 100;

export type ColumnNames = ReturnType<typeof createColumnNames>;

/**
 * Matches a file's column names with those of its kind, ignoring case and surrounding spaces, and with the
 * names that people's tables have for them (living data, section 6).
 * @throws AppError `invalid` for a mapping to a column that the kind does not have
 */
export function createColumnNames(
  kind: ImportKindName,
  { map, ignoreUnknown, set = {} }: Naming,
  recognized: Recognized,
) {
  const known = columnsOf(kind);
  const mapped = new Map<string, string>();
  const columnOf = (given: string): string => {
    const column = comparable(given);
    if (known.includes(column)) return column;
    throw new AppError("invalid", message("mapToUnknown", { column: given, known }));
  };
  for (const [theirs, ours] of Object.entries(map)) mapped.set(comparable(theirs), columnOf(ours));
  const given = Object.entries(set).map(([ours, cell]) => [columnOf(ours), cell] as const);
  const found = new Map<string, string | null | undefined>(known.map((name) => [name, name]));
  for (const theirs of mapped.keys()) found.delete(theirs);

  function find(name: string): string | undefined {
    const same = comparable(name);
    return mapped.get(same) ?? (known.includes(same) ? same : undefined);
  }

  function resolve(name: string): string | null | undefined {
    if (found.has(name)) return found.get(name);
    const ours = find(name);
    if (ours !== undefined) note(name, ours);
    found.set(name, ours);
    return ours;
  }

  function note(name: string, ours: string): void {
    if (ours !== name) recognized.renamed[ours] = shortened(name.trim());
  }

  function ignore(name: string): void {
    const { ignored } = recognized;
    const shown = shortened(name);
    if (ignored.length < IGNORED_SHOWN && !ignored.includes(shown)) ignored.push(shown);
  }

  return {
    known,
    /** Cells for columns that a row lacks; null if there are none. */
    given: given.length === 0 ? null : Object.fromEntries(given),

    /** Whether a name is our own for a column, which the options leave as it is. */
    isOurs: (name: string): boolean => found.get(name) === name,

    /**
     * Our names of a row's columns: null for an ignored one, undefined for an unknown one. Of several that
     * people's tables call the same, the likeliest is taken, and the others are ignored.
     */
    resolveAll(names: readonly string[]): (string | null | undefined)[] {
      const columns = names.map(resolve);
      const taken = new Set(columns);
      const meant = names
        .map((name, at) => ({ name, at, may: columnsOfHeader(kind, name) }))
        .filter(({ at, may }) => columns[at] === undefined && may.length > 0)
        .toSorted((one, other) => rankOf(one.may) - rankOf(other.may));
      for (const { name, at, may } of meant) {
        const ours = may.find((column) => !taken.has(column));
        columns[at] = ours ?? null;
        taken.add(ours);
        if (ours === undefined) ignore(name);
        else note(name, ours);
      }
      return columns.map((column, at) => {
        const name = names[at] ?? "";
        if (column !== undefined || !(ignoreUnknown || isNotNeeded(kind, name))) return column;
        ignore(name);
        return null;
      });
    },

    /** @throws AppError `invalid` if the columns obviously belong to another kind */
    requireKind(names: readonly string[]): void {
      const ours = names.map((name) => mapped.get(comparable(name)) ?? comparable(name));
      const count = (columns: readonly string[]): number =>
        ours.filter((name) => columns.includes(name)).length;
      const others = IMPORT_KIND_NAMES.filter((name) => name !== kind && canBe(name, ours));
      const best = others.toSorted((a, b) => count(columnsOf(b)) - count(columnsOf(a)))[0];
      if (best === undefined || count(columnsOf(best)) <= count(known)) return;
      const columns = ours.filter((name) => columnsOf(best).includes(name));
      throw new AppError("invalid", message("otherKind", { kind, other: best, columns }));
    },
  };
}

/** Names that mean one column come before those that may mean several, of which a link names best. */
const rankOf = (may: readonly string[]): number =>
  may.length === 1 ? 0 : may.includes("link") ? 1 : 2;

/** Whether a file with these columns can be of the kind: an entry of a directory needs its code. */
const canBe = (kind: ImportKindName, columns: readonly string[]): boolean =>
  !importKinds[kind].isDirectory || columns.includes("slug");

const columnsOf = (kind: ImportKindName): string[] => Object.keys(importKinds[kind].columns);

const comparable = (name: string): string => name.normalize().trim().toLowerCase();
