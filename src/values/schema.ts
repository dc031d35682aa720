import type { TSchema, TUnsafe } from "@sinclair/typebox";

/**
 * Shapes of JSON values: JSON Schema for documents and TypeScript types in one. They are plain objects that
 * only borrow TypeBox's types: every database thread loads the domains, and loading TypeBox would cost each
 * 40 ms and 4 MB.
 */
export type Schema<T> = TUnsafe<T>;

export type ValueOf<S extends TSchema> = S["static"];

interface Keywords {
  description?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  examples?: readonly unknown[];
  [keyword: string]: unknown;
}

function schema<T>(keywords: object): Schema<T> {
  return keywords as Schema<T>;
}

export function textSchema(keywords: Keywords = {}): Schema<string> {
  return schema({ ...keywords, type: "string" });
}

export function integerSchema(keywords: Keywords = {}): Schema<number> {
  return schema({ type: "integer", ...keywords });
}

export function countSchema(description: string): Schema<number> {
  return integerSchema({ minimum: 0, description });
}

export function numberSchema(keywords: Keywords = {}): Schema<number> {
  return schema({ ...keywords, type: "number" });
}

export function flagSchema(keywords: Keywords = {}): Schema<boolean> {
  return schema({ ...keywords, type: "boolean" });
}

export function nothingSchema(): Schema<null> {
  return schema({ type: "null" });
}

export function choiceSchema<Option extends string>(
  options: readonly Option[],
  keywords: Keywords,
): Schema<Option> {
  return schema({ type: "string", enum: [...options], ...keywords });
}

export function instantSchema(description: string): Schema<string> {
  return textSchema({
    format: "date-time",
    description: `${description}; ISO 8601 with the Moscow offset`,
    examples: ["2024-11-15T20:25:45+03:00"],
  });
}

export function daySchema(description: string): Schema<string> {
  return textSchema({ format: "date", description, examples: ["2024-11-15"] });
}

export function nullable<T>(inner: Schema<T>): Schema<T | null> {
  return eitherSchema(inner, nothingSchema());
}

export function eitherSchema<A, B>(one: Schema<A>, other: Schema<B>): Schema<A | B> {
  return schema({ anyOf: [one, other] });
}

export function listSchema<T>(items: Schema<T>, keywords: Keywords = {}): Schema<T[]> {
  return schema({ ...keywords, type: "array", items });
}

type Properties = Readonly<Record<string, TSchema>>;

type ObjectSchema<P extends Properties> = Schema<{ [Name in keyof P]: ValueOf<P[Name]> }> & {
  properties: P;
};

/** An object with exactly these fields. @param $id its name in the OpenAPI document */
export function objectSchema<P extends Properties>(properties: P, $id?: string): ObjectSchema<P> {
  return schema({
    ...($id !== undefined && { $id }),
    additionalProperties: false,
    type: "object",
    required: Object.keys(properties),
    properties,
  }) as ObjectSchema<P>;
}

export function anyObjectSchema(description = ""): Schema<object> {
  return schema({ type: "object", ...(description !== "" && { description }) });
}

/** Picks the fields of a value that the schema names, in the schema's order. */
export function pick<P extends Properties>(
  { properties }: ObjectSchema<P>,
  value: { readonly [Name in keyof P]: ValueOf<P[Name]> },
): { [Name in keyof P]: ValueOf<P[Name]> } {
  const names = Object.keys(properties) as (keyof P)[];
  return Object.fromEntries(names.map((name) => [name, value[name]])) as never;
}
