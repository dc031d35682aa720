import { type Read, readText, TEXT_LENGTH_MAX } from "../values/fields.ts";
import { type Json, type Page, pageJson } from "../values/json-text.ts";
import { listSchema, nullable, objectSchema, type Schema, textSchema } from "../values/schema.ts";
import { INVALID_CURSOR, type Position } from "./cursor.ts";
import type { Call } from "./method.ts";
import { integer, text, withDefault } from "./parameters.ts";

/** `{results}`: a list that has no pages. */
export function listOf<T>(item: Schema<T>) {
  return objectSchema({ results: listSchema(item) });
}

/** `{results, next}`. */
export function pageOf<T>(item: Schema<T>) {
  const next = textSchema({
    format: "uri",
    description: "Address of the next page; null on the last one",
  });
  return objectSchema({ results: listSchema(item), next: nullable(next) });
}

/** A part of a list: its items, and where it ended; `last` is null where nothing follows. */
export interface Slice<View, P extends Position> {
  results: Json<View[]>;
  last: P | null;
}

/** The parameters of every paginated list. */
export const pageParameters = {
  limit: withDefault(
    integer({ description: "Page size.", example: 10, minimum: 1, maximum: 100 }),
    50,
  ),
  cursor: {
    ...text({
      description:
        "For the next page: the text after `cursor=` in `next`, such as c3-d7hs5IYsXWzEwMDAsMV0, " +
        "with all other parameters the same. Not to be made up; left out for the first page.",
    }),
    read: (given: unknown): Read<string> => {
      const isLong = typeof given === "string" && given.length > TEXT_LENGTH_MAX;
      return isLong ? { fault: INVALID_CURSOR } : readText(given);
    },
  },
};

/**
 * Reads the page after a cursor, by keyset rather than offset, and adds the address of the next one.
 * @param scope the ordering that the cursor must belong to
 * @throws AppError `invalid` on `cursor`
 */
export async function readPage<View, P extends Position>(
  scope: string,
  cursor: string | undefined,
  { services, nextUrl }: Call,
  select: (after: P | null) => Slice<View, P> | Promise<Slice<View, P>>,
): Promise<Json<Page<View>>> {
  const after = cursor === undefined ? null : services.cursors.read<P>(scope, cursor);
  const { results, last } = await select(after);
  return pageJson(results, last === null ? null : nextUrl(services.cursors.write(scope, last)));
}
