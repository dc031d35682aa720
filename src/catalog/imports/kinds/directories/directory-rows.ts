import { message } from "../../../../values/messages/messages.ts";
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
