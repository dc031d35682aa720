import { eitherSchema, type Schema } from "../values/schema.ts";
import type { ApiMethod } from "./method.ts";

/**
 * Results as they are described where a caller may leave out fields: an answer to
 * `fields` has only some of what an item must have else.
 */

/** The result with its items whole, or with some of their fields. */
export function wholeOrPart(method: ApiMethod): Schema<unknown> {
  return changed(method, (item) => eitherSchema(item, partOf(item)));
}

/** The result with items of which no field must be there. */
export function anyPart(method: ApiMethod): Schema<unknown> {
  return changed(method, partOf);
}

/** Changes the schema of a list's items, or that of a result which is no list. */
function changed(
  { parameters, result }: ApiMethod,
  change: (item: Schema<unknown>) => Schema<unknown>,
): Schema<unknown> {
  if (parameters["fields"] === undefined) return result;
  const properties = result["properties"] as Record<string, Schema<unknown>>;
  const { results } = properties;
  if (results === undefined) return change(result);
  const items = change(results["items"] as Schema<unknown>);
  return { ...result, properties: { ...properties, results: { ...results, items } } };
}

function partOf(item: Schema<unknown>): Schema<unknown> {
  const { $id, required: _, ...rest } = item;
  return {
    ...rest,
    ...($id !== undefined && { $id: `${$id}Part` }),
    description: "With `fields`: only those",
  } as Schema<unknown>;
}
