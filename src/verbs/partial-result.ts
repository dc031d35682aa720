import { eitherSchema, type Schema } from "../values/schema.ts";
import type { Described } from "./method.ts";

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
