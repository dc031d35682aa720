import type { TSchema, TUnsafe } from "@sinclair/typebox";
import { formatInstant, formatOptionalInstant } from "./moscow-time.ts";

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

/** A text is the description. */
type Words = string | Keywords;

function schema<T>(own: object, words: Words = {}): Schema<T> {
  return { ...own, ...(typeof words === "string" ? { description: words } : words) } as Schema<T>;
}

export function text(words?: Words): Schema<string> {
  return schema({ type: "string" }, words);
}

export function integer(words?: Words): Schema<number> {
  return schema({ type: "integer" }, words);
}

export function count(description: string): Schema<number> {
  return integer({ minimum: 0, description });
}

export function number(words?: Words): Schema<number> {
  return schema({ type: "number" }, words);
}

export function flag(words?: Words): Schema<boolean> {
  return schema({ type: "boolean" }, words);
}

export function nothing(): Schema<null> {
  return schema({ type: "null" });
}

export function choice<Option extends string>(
  options: readonly Option[],
  words: Words,
): Schema<Option> {
  return schema({ type: "string", enum: [...options] }, words);
}

export function instantText(description: string): Schema<string> {
  return text({
    format: "date-time",
    description: `${description}; ISO 8601 with the Moscow offset`,
    examples: ["2024-11-15T20:25:45+03:00"],
  });
}

export function day(description: string): Schema<string> {
  return text({ format: "date", description, examples: ["2024-11-15"] });
}

export function nullable<T>(inner: Schema<T>): Schema<T | null> {
  return either(inner, nothing());
}

export function either<A, B>(one: Schema<A>, other: Schema<B>): Schema<A | B> {
  return schema({ anyOf: [one, other] });
}

export function list<T>(items: Schema<T>, words?: Words): Schema<T[]> {
  return schema({ type: "array", items }, words);
}

export type Properties = Readonly<Record<string, TSchema>>;

type ObjectSchema<P extends Properties> = Schema<{ [Name in keyof P]: ValueOf<P[Name]> }> & {
  properties: P;
};

/** An object with exactly these fields. @param $id its name in the OpenAPI document */
export function object<P extends Properties>(properties: P, $id?: string): ObjectSchema<P> {
  return schema({
    ...($id !== undefined && { $id }),
    additionalProperties: false,
    type: "object",
    required: Object.keys(properties),
    properties,
  }) as ObjectSchema<P>;
}

export function anyObject(description = ""): Schema<object> {
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

/**
 * Things as the rows that answers and tables show. Each field is declared once: a schema alone shows the
 * thing's property of that name (`created_at` is `createdAt`), others say what they show.
 */

export interface Field<Thing, Value = unknown> {
  schema: Schema<Value>;
  of(thing: Thing): Value;
}

/** A property that is stored otherwise than it is shown. */
interface Converted<Stored, Value> {
  schema: Schema<Value>;
  show(stored: Stored): Value;
}

// biome-ignore lint/suspicious/noExplicitAny: a declaration holds fields of differing types
type Fields = Readonly<Record<string, Field<any> | Converted<any, any> | Schema<any>>>;

type Property<Name> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<Property<Rest>>}`
  : Name & string;

type SchemaOf<F> = F extends { schema: infer S } ? S : F;

/** The properties of a thing that a field is read from. */
type Needs<Name, F> =
  F extends Field<infer Thing>
    ? Thing
    : F extends Converted<infer Stored, unknown>
      ? { readonly [P in Property<Name>]: Stored }
      : F extends Schema<infer Value>
        ? { readonly [P in Property<Name>]: Value }
        : never;

/** What all fields together need of a thing. */
type ThingOf<F extends Fields> = {
  [Name in keyof F]: (thing: Needs<Name, F[Name]>) => void;
}[keyof F] extends (thing: infer Thing) => void
  ? Thing
  : never;

type RowOf<F extends Fields> = {
  [Name in keyof F]: SchemaOf<F[Name]> extends Schema<infer Value> ? Value : never;
};

export function field<Thing, Value = unknown>(
  schema: Schema<Value>,
  of: (thing: Thing) => Value,
): Field<Thing, Value> {
  return { schema, of };
}

/** A property that the thing has under another name. */
export function property<Name extends string, Value>(
  name: Name,
  schema: Schema<Value>,
): Field<Readonly<Record<Name, Value>>, Value> {
  return field(schema, (thing) => thing[name]);
}

/** A stored instant. */
export function instant(description: string): Converted<number, string> {
  return { schema: instantText(description), show: formatInstant };
}

/** A stored instant that may be missing; the description ends with what null means. */
export function optionalInstant(description: string): Converted<number | null, string | null> {
  return { schema: nullable(instantText(description)), show: formatOptionalInstant };
}

/** An instant that may be missing, under another name than the thing's. */
export function instantOf<Thing>(description: string, of: (thing: Thing) => number | null) {
  const { schema, show } = optionalInstant(description);
  return field(schema, (thing: Thing) => show(of(thing)));
}

/**
 * Rows of things: their schema, and the row of one.
 * @param $id the schema's name in the OpenAPI document
 */
export function rows<const F extends Fields>($id: string, fields: F) {
  const all = Object.entries(fields).map(([name, declared]) => {
    const property = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const stored = (thing: Record<string, unknown>): unknown => thing[property];
    if ("of" in declared) return { name, schema: declared.schema, of: declared.of };
    if (!("show" in declared)) return { name, schema: declared, of: stored };
    const { schema, show } = declared;
    return { name, schema, of: (thing: Record<string, unknown>) => show(stored(thing)) };
  });
  const schemas = Object.fromEntries(all.map(({ name, schema }) => [name, schema]));
  return {
    schema: object(schemas as { [Name in keyof F]: SchemaOf<F[Name]> & Schema<unknown> }, $id),
    row: (thing: ThingOf<F>): RowOf<F> =>
      Object.fromEntries(all.map(({ name, of }) => [name, of(thing)])) as RowOf<F>,
  };
}

/**
 * The rows that a page shows, and the last of them; null if no page follows.
 * @param rows one more than the limit if another page follows
 */
export function shownPage<Row>(
  rows: readonly Row[],
  limit: number,
): { shown: Row[]; last: Row | null } {
  const shown = rows.slice(0, limit);
  return { shown, last: rows.length > limit ? (shown.at(-1) ?? null) : null };
}
