import { AppError } from "../errors.ts";
import type { Range, Reader } from "../values/fields.ts";
import {
  readChoice,
  readDay,
  readFlag,
  readInteger,
  readIntegerList,
  readNumber,
  readText,
  shortened,
} from "../values/fields.ts";
import { type Json, jsonValueOf, toJsonText } from "../values/json-text.ts";
import { message } from "../values/messages/messages.ts";
import type { Day } from "../values/moscow-time.ts";
import type { Schema } from "../values/schema.ts";
import * as shape from "../values/schema.ts";

/** A parameter of a method: how it is documented and how it is read. */
export interface Parameter<T> {
  in: "path" | "query" | "body";
  required: boolean;
  /** JSON Schema with limits, description and example. */
  schema: Schema<unknown>;
  read: Reader<T>;
  /** Value that the method receives if the parameter is not given. */
  default?: T;
  isList?: true;
  /** Names that its list selects from, in the order in which they are read. */
  names?: readonly string[];
  /** Whether people type several, one a line. */
  isLines?: true;
  /** Whether null means "none" and clears the previous value. */
  takesNull?: true;
}

/** Parameters by their name in the path, in the query, or as a field of the JSON body. */
// biome-ignore lint/suspicious/noExplicitAny: a declaration holds parameters of differing types
export type Parameters = Record<string, Parameter<any>>;

type ValueOf<P> = P extends Parameter<infer T> ? T : never;

/**
 * Arguments that a method receives: one per parameter, undefined if it was not given and has no default.
 */
export type Arguments<P extends Parameters> = {
  [Name in keyof P]: P[Name] extends { required: true } | { default: unknown }
    ? ValueOf<P[Name]>
    : ValueOf<P[Name]> | undefined;
};

interface Example<T> {
  /** Omitted if no value would work on every appliance. */
  example?: T | undefined;
}

/** An optional parameter of the query; `required`, `inPath` and `inBody` change that. */
export function parameter<T>(schema: Schema<unknown>, read: Reader<T>): Parameter<T> {
  return { in: "query", required: false, schema, read };
}

export function required<T>(parameter: Parameter<T>): Parameter<T> & { required: true } {
  return { ...parameter, required: true };
}

export function inPath<T>(parameter: Parameter<T>): Parameter<T> & { required: true } {
  return { ...parameter, in: "path", required: true };
}

/** The number of an item, in the path. */
export function numberInPath(description: string): Parameter<number> & { required: true } {
  return inPath(integer(description, { example: 1, minimum: 0 }));
}

export function inBody<T>(parameter: Parameter<T>): Parameter<T> {
  return { ...parameter, in: "body" };
}

/** A field of the JSON body that null clears. */
export function orNull<T>({ schema, read }: Parameter<T>): Parameter<T | null> {
  const { description, examples, ...plain } = schema;
  const withNull = parameter<T | null>(
    { description, examples, ...shape.nullable(plain) } as Schema<unknown>,
    (given) => (given === null ? { value: null } : read(given)),
  );
  return { ...inBody(withNull), takesNull: true };
}

/** Sets the default, both for the documentation and for the method. */
export function withDefault<T>(parameter: Parameter<T>, value: T): Parameter<T> & { default: T } {
  return { ...parameter, schema: { ...parameter.schema, default: value }, default: value };
}

export function text(description: string, given?: Example<string>): Parameter<string> {
  return parameter(shape.text(annotations(description, given)), readText);
}

/** A text that a domain checks and trims. @param check throws `invalid` */
export function checkedText(
  description: string,
  given: Example<string>,
  check: (text: string) => string,
): Parameter<string> {
  const { schema, read } = text(description, given);
  return parameter(schema, (given) => {
    const found = read(given);
    if ("fault" in found) return found;
    try {
      return { value: check(found.value) };
    } catch (error) {
      const [fault] = error instanceof AppError ? Object.values(error.faults ?? {}).flat() : [];
      if (fault === undefined) throw error;
      return { fault };
    }
  });
}

export function integer(
  description: string,
  { example, ...range }: Example<number> & Range = {},
): Parameter<number> {
  const schema = shape.integer({ ...annotations(description, { example }), ...range });
  return parameter(schema, readInteger(range));
}

export function number(description: string, given?: Example<number>): Parameter<number> {
  return parameter(shape.number(annotations(description, given)), readNumber);
}

export function flag(description: string, given?: Example<boolean>): Parameter<boolean> {
  return parameter(shape.flag(annotations(description, given)), readFlag);
}

export function choice<Option extends string>(
  options: readonly [Option, ...Option[]],
  description: string,
): Parameter<Option> {
  const words = annotations(description, { example: options[0] });
  return parameter(shape.choice(options, words), readChoice(options));
}

export function day(description: string, given?: Example<string>): Parameter<Day> {
  return parameter(shape.text({ format: "date", ...annotations(description, given) }), readDay);
}

/** Comma-separated integers without duplicates, in the given order. */
export function integerList(
  description: string,
  { itemsMax, ...given }: Example<string> & { itemsMax: number },
): Parameter<number[]> {
  const pattern = "^\\s*-?\\d+\\s*(,\\s*-?\\d+\\s*)*$";
  const schema = shape.text({ pattern, ...annotations(description, given) });
  return { ...parameter(schema, readIntegerList({ itemsMax })), isList: true };
}

/** Comma-separated texts, trimmed and in the given order; at least one. Empty ones are dropped. */
export function textList(
  description: string,
  { itemsMax, ...given }: Example<string> & { itemsMax: number },
): Parameter<string[]> {
  const read: Reader<string[]> = (given) => {
    const list = readText(given);
    if ("fault" in list) return list;
    const items = list.value
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
    if (items.length === 0) return { fault: message("emptyList") };
    return items.length > itemsMax
      ? { fault: message("tooManyItems", { items: itemsMax }) }
      : { value: items };
  };
  return { ...parameter(shape.text(annotations(description, given)), read), isList: true };
}

function annotations<T>(description: string, { example }: Example<T> = {}) {
  return { description, ...(example === undefined ? {} : { examples: [example] }) };
}

/** The `fields` parameter of a list or a card: names in any order, read in the order of the schema. */
export function fieldsOf({ properties }: { properties: object }): {
  fields: Parameter<string[]>;
} {
  const known = Object.keys(properties);
  const names = textList("Only these fields.", {
    example: known.slice(0, 2).join(","),
    itemsMax: Number.POSITIVE_INFINITY,
  });
  return {
    fields: {
      ...names,
      names: known,
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
