import type { Read } from "../values/fields.ts";
import { type Json, type Page, pageJson } from "../values/json-text.ts";
import { message } from "../values/messages/messages.ts";
import {
  eitherSchema,
  listSchema,
  nullable,
  objectSchema,
  type Schema,
  textSchema,
} from "../values/schema.ts";
import { CURSOR_LENGTH_MAX, INVALID_CURSOR, type Position } from "./cursor.ts";
import type { Call, Described } from "./method.ts";
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

/**
 * Schemas of results from which a caller may omit fields: an answer to `fields` may lack fields that are
 * otherwise required.
 */

/** The result with complete items, or with some of their fields. */
export function wholeOrPart(method: Described): Schema<unknown> {
  return changed(method, (item) => eitherSchema(item, partOf(item)));
}

/** The result with items whose fields are all optional. */
export function anyPart(method: Described): Schema<unknown> {
  return changed(method, partOf);
}

/** Changes the schema of a list's items, or of the result itself if it is not a list. */
function changed(
  { parameters, result }: Described,
  change: (item: Schema<unknown>) => Schema<unknown>,
): Schema<unknown> {
  if (parameters["fields"] === undefined) return result;
  const properties = result["properties"] as Record<string, Schema<unknown>>;
  const { results } = properties;
  if (results === undefined) return change(result);
  const items = change(results["items"] as Schema<unknown>);
  return { ...result, properties: { ...properties, results: { ...results, items } } };
}

/** The schema of an item of which only some fields may be present. */
function partOf(item: Schema<unknown>): Schema<unknown> {
  const { $id, required: _, ...rest } = item;
  return {
    ...rest,
    ...($id !== undefined && { $id: `${$id}Part` }),
    description: "With `fields`: only those",
  } as Schema<unknown>;
}
