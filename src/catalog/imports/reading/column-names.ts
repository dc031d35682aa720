import { AppError } from "../../../errors.ts";
import { shortened } from "../../../values/fields.ts";
import { message } from "../../../values/messages/messages.ts";
import { IMPORT_KIND_NAMES, type ImportKindName, importKinds } from "../kinds/import-kinds.ts";
import type { Recognized } from "./recognized.ts";

export interface Naming {
  /** Our column names by the file's, where they differ. */
  map: Readonly<Record<string, string>>;
  /** Whether unknown columns are ignored; otherwise they are refused by name. */
  ignoreUnknown: boolean;
}

const IGNORED_SHOWN = 100;

export type ColumnNames = ReturnType<typeof createColumnNames>;

/**
 * Matches a file's column names with those of its kind, ignoring case and surrounding spaces (living data,
 * section 6).
 * @throws AppError `invalid` for a mapping to a column that the kind does not have
 */
export function createColumnNames(
  kind: ImportKindName,
  { map, ignoreUnknown }: Naming,
  recognized: Recognized,
) {
  const known = columnsOf(kind);
  const mapped = new Map<string, string>();
  for (const [theirs, ours] of Object.entries(map)) {
    const column = comparable(ours);
    if (!known.includes(column)) {
      throw new AppError("invalid", message("mapToUnknown", { column: ours, known }));
    }
    mapped.set(comparable(theirs), column);
  }
  const found = new Map<string, string | null | undefined>(known.map((name) => [name, name]));
  for (const theirs of mapped.keys()) found.delete(theirs);

  function find(name: string): string | null | undefined {
    const same = comparable(name);
    const ours = mapped.get(same) ?? (known.includes(same) ? same : undefined);
    if (ours === undefined && ignoreUnknown) {
      if (recognized.ignored.length < IGNORED_SHOWN) recognized.ignored.push(shortened(name));
      return null;
    }
    if (ours !== undefined && ours !== name) recognized.renamed[ours] = shortened(name.trim());
    return ours;
  }

  return {
    known,

    /** Our name of a column, null for an ignored one, undefined for an unknown one. */
    resolve(name: string): string | null | undefined {
      if (found.has(name)) return found.get(name);
      const ours = find(name);
      found.set(name, ours);
      return ours;
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

/** Whether a file with these columns can be of the kind: an entry of a directory needs its code. */
const canBe = (kind: ImportKindName, columns: readonly string[]): boolean =>
  !importKinds[kind].isDirectory || columns.includes("slug");

const columnsOf = (kind: ImportKindName): string[] => Object.keys(importKinds[kind].columns);

const comparable = (name: string): string => name.normalize().trim().toLowerCase();
