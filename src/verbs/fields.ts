import { type Json, jsonValueOf, toJsonText } from "../values/json-text.ts";
import { message } from "../values/messages/messages.ts";
import { shortened } from "../values/shortened.ts";
import { type Parameter, textList } from "./parameters.ts";

/** The `fields` parameter of a list or a card: names in any order, read in the order of the schema. */
export function fieldsOf({ properties }: { properties: object }): {
  fields: Parameter<string[]>;
} {
  const known = Object.keys(properties);
  const names = textList({
    description: "Only these fields.",
    example: known.slice(0, 2).join(","),
    itemsMax: Number.POSITIVE_INFINITY,
  });
  return {
    fields: {
      ...names,
      read(given) {
        const list = names.read(given);
        if ("fault" in list) return list;
        const unknown = list.value.find((name) => !known.includes(name));
        return unknown === undefined
          ? { value: known.filter((name) => list.value.includes(name)) }
          : { fault: message("unknownFields", { given: shortened(unknown), known }) };
      },
    },
  };
}

/** Reduces an answer's items, or the answer itself if it is not a list, to these fields. */
export function onlyFields(answer: Json<unknown>, names: readonly string[]): Json<unknown> {
  const narrow = (item: Record<string, unknown>) =>
    Object.fromEntries(names.map((name) => [name, item[name]]));
  const value = jsonValueOf(answer) as Record<string, unknown>;
  const { results } = value;
  return toJsonText(
    Array.isArray(results) ? { ...value, results: results.map(narrow) } : narrow(value),
  );
}
