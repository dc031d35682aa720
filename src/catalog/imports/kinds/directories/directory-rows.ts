import { message } from "../../../../values/messages/messages.ts";
import { FACET_ID_MAX } from "../../../channels/search-text.ts";
import { type Column, integerColumn } from "../../../fields/columns.ts";
import type { ExportRow, Position } from "../exported-rows.ts";
import { RowFault } from "../import-kind.ts";

/**
 * Applies the order of a file to a directory. The places of the entries that the file names, at the end for
 * new ones, are given to them in the file's order. So a complete file determines the whole order, and a file
 * with one row moves nothing.
 */
export function inFileOrder<T extends { slug: string; position: number }>(
  stored: readonly T[],
  fileOrder: ReadonlySet<string>,
): T[] {
  const bySlug = new Map(stored.map((entry) => [entry.slug, entry]));
  const named = [...fileOrder].flatMap((slug) => bySlug.get(slug) ?? []);
  const next = named.values();
  return stored
    .toSorted((a, b) => a.position - b.position)
    .map((entry) => (fileOrder.has(entry.slug) ? (next.next().value ?? entry) : entry));
}

/**
 * Checks that an existing entry keeps its id, and that a new one's id is not taken.
 * @throws RowFault
 */
export function requireFreeId(
  id: number | null | undefined,
  slug: string,
  storedId: number | undefined,
  slugOfId: ReadonlyMap<number, string>,
): void {
  if (id == null || id === storedId) return;
  if (storedId !== undefined) {
    throw new RowFault("id", message("idChanged", { slug, id: storedId }));
  }
  const holder = slugOfId.get(id);
  if (holder !== undefined) throw new RowFault("id", message("idTaken", { id, holder }));
}

/** Ids of directory entries, which must fit in a facet. */
export const idColumn = (): Column<number> => integerColumn(1, FACET_ID_MAX);

/**
 * A number for a new entry whose row gives none: above all stored ones, and those that the file names.
 * @throws RowFault if the largest id is taken
 */
export function nextId(slugOfId: ReadonlyMap<number, string>, highestNumber: number): number {
  const read = idColumn().read(Math.max(0, highestNumber, ...slugOfId.keys()) + 1);
  if ("fault" in read) throw new RowFault("id", read.fault);
  return read.value;
}

/** Entries of a directory; the position counts those already written. */
export function* directoryRows<Entry>(
  entries: readonly Entry[],
  toValues: (entry: Entry) => ExportRow["values"],
  after: Position,
  limit: number,
): Generator<ExportRow> {
  const [begin = 0] = after ?? [];
  for (const [at, entry] of entries.slice(begin, begin + limit).entries()) {
    yield { position: [begin + at + 1], values: toValues(entry) };
  }
}
