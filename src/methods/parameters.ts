import { type TSchema, t } from "elysia";
import { type Day, parseDay } from "../moscow-time.ts";
import { integerSchema } from "./integer-schema.ts";

/** A value, or the sentence that says what is wrong with the text given for it. */
export type Parsed<T> = { value: T } | { fault: string };

/**
 * One parameter of a method: what the documents say of it, and how its text becomes a value.
 * Messages are those of Django REST Framework (decisions, section 1).
 */
export interface Parameter<T> {
  in: "path" | "query";
  required: boolean;
  /** JSON Schema with limits, description and an example. */
  schema: TSchema;
  parse(text: string): Parsed<T>;
}

/** Path parameters by the name they have in the path, and query parameters. */
// biome-ignore lint/suspicious/noExplicitAny: a declaration holds parameters of differing types
export type Parameters = Record<string, Parameter<any>>;

type ValueOf<P> = P extends Parameter<infer T> ? T : never;

/** What a method receives: every parameter, undefined where an optional one was not given. */
export type Arguments<P extends Parameters> = {
  [Name in keyof P]: P[Name] extends { required: true }
    ? ValueOf<P[Name]>
    : ValueOf<P[Name]> | undefined;
};

interface Documented<T> {
  description: string;
  example: T;
}

/** The schema's words for an example; none where no value would be right for all. */
function examples<T>(example: T | undefined): { examples?: T[] } {
  return example === undefined ? {} : { examples: [example] };
}

export function required<T>(parameter: Parameter<T>): Parameter<T> & { required: true } {
  return { ...parameter, required: true };
}

export function inPath<T>(parameter: Parameter<T>): Parameter<T> & { required: true } {
  return { ...parameter, in: "path", required: true };
}

export function text(documented: { description: string; example?: string }): Parameter<string> {
  const { description, example } = documented;
  return {
    in: "query",
    required: false,
    schema: t.String({ description, ...examples(example) }),
    parse: (value) => ({ value }),
  };
}

/** A whole number; `minimum` and `maximum` are included. */
export function integer(
  documented: Documented<number> & { minimum?: number; maximum?: number; default?: number },
): Parameter<number> {
  const { description, example, minimum, maximum } = documented;
  return {
    in: "query",
    required: false,
    schema: integerSchema({
      description,
      ...examples(example),
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
      ...(documented.default === undefined ? {} : { default: documented.default }),
    }),
    parse(given) {
      const value = parseInteger(given);
      if (value === null) return { fault: "A valid integer is required." };
      if (minimum !== undefined && value < minimum) {
        return { fault: `Ensure this value is greater than or equal to ${minimum}.` };
      }
      if (maximum !== undefined && value > maximum) {
        return { fault: `Ensure this value is less than or equal to ${maximum}.` };
      }
      return { value };
    },
  };
}

/** Case-insensitive `true`, `false`, `1`, `0`, `yes`, `no` (specification, section 4). */
export function flag(documented: Documented<boolean>): Parameter<boolean> {
  const { description, example } = documented;
  return {
    in: "query",
    required: false,
    schema: t.Boolean({ description, ...examples(example) }),
    parse(given) {
      const word = given.toLowerCase();
      if (word === "true" || word === "1" || word === "yes") return { value: true };
      if (word === "false" || word === "0" || word === "no") return { value: false };
      return { fault: "Must be a valid boolean." };
    },
  };
}

export function choice<Option extends string>(
  options: readonly Option[],
  documented: { description: string; default?: Option },
): Parameter<Option> {
  return {
    in: "query",
    required: false,
    schema: t.Unsafe<Option>({
      type: "string",
      enum: [...options],
      description: documented.description,
      examples: options.slice(0, 1),
      ...(documented.default === undefined ? {} : { default: documented.default }),
    }),
    parse(given) {
      const value = options.find((option) => option === given);
      return value === undefined ? { fault: `"${given}" is not a valid choice.` } : { value };
    },
  };
}

/** `YYYY-MM-DD`, a Moscow day. */
export function day(documented: Documented<string>): Parameter<Day> {
  const { description, example } = documented;
  return {
    in: "query",
    required: false,
    schema: t.String({ format: "date", description, ...examples(example) }),
    parse(given) {
      const value = parseDay(given);
      if (value !== null) return { value };
      return {
        fault: "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.",
      };
    },
  };
}

/** Comma-separated whole numbers, each kept once, in the order given. */
export function integerList(
  documented: Documented<string> & { itemsMax: number },
): Parameter<number[]> {
  const { description, example, itemsMax } = documented;
  return {
    in: "query",
    required: false,
    schema: t.String({
      pattern: "^\\s*-?\\d+\\s*(,\\s*-?\\d+\\s*)*$",
      description,
      ...examples(example),
    }),
    parse(given) {
      const items = given.split(",").map((item) => parseInteger(item.trim()));
      if (items.includes(null)) return { fault: "A valid integer is required." };
      if (items.length > itemsMax) {
        return { fault: `Ensure this field has no more than ${itemsMax} elements.` };
      }
      return { value: [...new Set(items as number[])] };
    },
  };
}

/** A decimal integer in the safe range, or null. */
export function parseInteger(given: string): number | null {
  if (!/^[+-]?\d{1,16}$/.test(given)) return null;
  const value = Number(given);
  return Number.isSafeInteger(value) ? value : null;
}
