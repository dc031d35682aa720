import { type Read, readText, TEXT_LENGTH_MAX } from "../values/fields.ts";
import { type JsonText, type Page, pageJsonText } from "../values/json-text.ts";
import { INVALID_CURSOR, type Position } from "./cursor.ts";
import type { Call } from "./method.ts";
import { integer, text, withDefault } from "./parameters.ts";

/** A part of a list: its items, and where it ended; null where nothing follows. */
export interface Slice<View, P extends Position> {
  results: JsonText<View[]>;
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
 * The page that a cursor names, found by key, with the address of the next one.
 * @param scope the ordering that the cursor must belong to
 * @throws AppError `invalid` on `cursor`
 */
export async function readPage<View, P extends Position>(
  scope: string,
  cursor: string | undefined,
  { services, nextUrl }: Call,
  select: (after: P | null) => Slice<View, P> | Promise<Slice<View, P>>,
): Promise<JsonText<Page<View>>> {
  const after = cursor === undefined ? null : services.cursors.read<P>(scope, cursor);
  const { results, last } = await select(after);
  return pageJsonText(results, last === null ? null : nextUrl(services.cursors.write(scope, last)));
}
