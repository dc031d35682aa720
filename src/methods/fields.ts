import { type Read, readText } from "../values/fields.ts";
import { type Json, jsonValueOf, toJsonText } from "../values/json-text.ts";
import { message } from "../values/messages/messages.ts";
import { shortened } from "../values/shortened.ts";
import { type Parameter, text } from "./parameters.ts";

/** The parameter `fields` of a list or a card: names of fields, in any order. */
export function fieldsOf({ properties }: { properties: object }): {
  fields: Parameter<string[]>;
} {
  const known = Object.keys(properties);
  const example = known.slice(0, 2).join(",");
  const { schema } = text({
    description: "Only these fields.",
    example,
  });
  return {
    fields: {
      in: "query",
      required: false,
      isList: true,
      schema,
      read: (given) => read(given, known),
    },
  };
}

function read(given: unknown, known: readonly string[]): Read<string[]> {
  const names = readText(given);
  if ("fault" in names) return names;
  const asked = names.value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (asked.length === 0) return { fault: message("emptyList") };
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    return { fault: message("unknownFields", { given: shortened(unknown), known }) };
  }
  return { value: known.filter((name) => asked.includes(name)) };
}

/** Leaves only these fields of an answer's items, or of the answer itself where it is no list. */
export function onlyFields(answer: Json<unknown>, names: readonly string[]): Json<unknown> {
  const narrow = (item: Record<string, unknown>) =>
    Object.fromEntries(names.map((name) => [name, item[name]]));
  const value = jsonValueOf(answer) as Record<string, unknown>;
  const { results } = value;
  return toJsonText(
    Array.isArray(results) ? { ...value, results: results.map(narrow) } : narrow(value),
  );
}
