import { formatInstant, formatOptionalInstant } from "./moscow-time.ts";
import { instantSchema, nullable, objectSchema, type Schema } from "./schema.ts";

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

/** What a field needs of a thing. */
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

/** A stored instant. */
export function instant(description: string): Converted<number, string> {
  return { schema: instantSchema(description), show: formatInstant };
}

/** A stored instant that may be missing; the description ends with what null means. */
export function optionalInstant(description: string): Converted<number | null, string | null> {
  return { schema: nullable(instantSchema(description)), show: formatOptionalInstant };
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
    schema: objectSchema(
      schemas as { [Name in keyof F]: SchemaOf<F[Name]> & Schema<unknown> },
      $id,
    ),
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
