import { type ClauseId, each, type Fault, isObject, type Json, shown } from "./check.ts";
import shapes from "./shapes.json";

const isText = (value: unknown): boolean => typeof value === "string";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const matches = (pattern: RegExp) => (value: unknown) =>
  isText(value) && pattern.test(String(value));
const listOf = (isItem: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isItem);

/** What a field may hold, by name; `a|b` is one of these words, and `?` at the end means null as well. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  count: isCount,
  number: (value) => typeof value === "number",
  text: isText,
  flag: (value) => typeof value === "boolean",
  object: isObject,
  moment: matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+03:00$/),
  day: matches(/^\d{4}-\d\d-\d\d$/),
  texts: listOf(isText),
  counts: listOf(isCount),
  objects: listOf(isObject),
  pairs: listOf((pair) => listOf(isCount)(pair) && String(pair).split(",").length === 2),
};

/** Whether a field of an object is there and holds what it may. */
export function fieldFault(object: Json, field: string, type: string): Fault {
  if (!Object.hasOwn(object, field)) return `${field} is missing in ${shown(object)}`;
  const value = object[field];
  const name = type.replace("?", "");
  if (type.endsWith("?") && value === null) return null;
  const holds = TYPES[name]?.(value) ?? name.split("|").includes(String(value));
  return holds ? null : `${field} is ${shown(value)}, not ${type}`;
}

/** Resources, the clause that names their fields, and these with what they hold. */
export const SHAPES = shapes as unknown as readonly (readonly [
  resource: string,
  clause: ClauseId,
  fields: string,
])[];

/** Whether an object has each of a shape's fields. */
export const shapeFault = (object: Json, fields: string): Fault =>
  each(fields.split(", "), (text) => {
    const [field = "", type = ""] = text.split(" ");
    return fieldFault(object, field, type);
  });
