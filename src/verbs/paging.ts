import type { Read } from "../values/fields.ts";
import { type Json, type Page, pageJson } from "../values/json-text.ts";
import { message } from "../values/messages/messages.ts";
import { listSchema, nullable, objectSchema, type Schema, textSchema } from "../values/schema.ts";
import { CURSOR_LENGTH_MAX, INVALID_CURSOR, type Position } from "./cursor.ts";
import type { Call } from "./method.ts";
import { integer, text, withDefault } from "./parameters.ts";

/** `{results}`: a list without pages. */
export function listOf<T>(item: Schema<T>) {
  return objectSchema({ results: listSchema(item) });
}

/** `{results, next}`: one page of a list. */
export function pageOf<T>(item: Schema<T>) {
  const next = textSchema({
    format: "uri",
    description: "Address of the next page; null on the last one",
  });
  return objectSchema({ results: listSchema(item), next: nullable(next) });
}

/** The items of one page, and the position of the last one; `last` is null if nothing follows. */
export interface Slice<View, P extends Position> {
  results: Json<View[]>;
  last: P | null;
}

export const pageParameters = {
  limit: withDefault(
    integer({ description: "Page size.", example: 10, minimum: 1, maximum: 100 }),
    50,
  ),
  cursor: {
    ...text({
      description:
        "For the next page: `next` unchanged, or its text after `cursor=`, such as " +
        "c3-d7hs5IYsXeyJh; filters may be omitted.",
    }),
    read: (given: unknown): Read<string> => {
      if (typeof given === "number") return { fault: INVALID_CURSOR };
      if (typeof given !== "string") return { fault: message("notText") };
      return given.length > CURSOR_LENGTH_MAX ? { fault: INVALID_CURSOR } : { value: given };
    },
  },
};

/**
 * Reads the page after a cursor, by keyset rather than offset, and adds the URL of the next page.
 * @param fixed arguments as the cursor carries them, such as a number instead of a handle
 * @throws AppError `invalid` on `cursor`
 */
export async function readPage<View, P extends Position>(
  { after, nextUrl }: Call,
  select: (after: P | null) => Slice<View, P> | Promise<Slice<View, P>>,
  fixed: Readonly<Record<string, string>> = {},
): Promise<Json<Page<View>>> {
  const { results, last } = await select(after(fixed) as P | null);
  return pageJson(results, last === null ? null : nextUrl(last, fixed));
}
