/**
 * JSON text of a value of type T. Cards are stored in this form, and results cross threads in it: one
 * string is cheaper to pass on than many objects.
 */
export type JsonText<T> = string & { readonly jsonOf: T };

/**
 * JSON of a long list in UTF-8, as SQLite returned it, between two texts. It is written to the response as
 * is: turning a page of 50 posts into strings takes a third of the time of its query.
 */
export class JsonBytes<T> {
  declare readonly jsonOf: T;

  constructor(
    readonly before: string,
    readonly bytes: Buffer,
    readonly after: string,
  ) {}

  /** The same JSON embedded in an outer value, whose text before and after it is given. */
  within<Whole>(before: string, after: string): JsonBytes<Whole> {
    return new JsonBytes(before + this.before, this.bytes, this.after + after);
  }

  toString(): JsonText<T> {
    return `${this.before}${this.bytes}${this.after}` as JsonText<T>;
  }
}

/** A value, or its JSON if that is already at hand. The value itself must not be a string. */
export type Json<T> = T | JsonText<T> | JsonBytes<T>;

export function toJsonText<T>(value: T): JsonText<T> {
  return JSON.stringify(value) as JsonText<T>;
}

/**
 * JSON of a list whose items SQLite joined and returned as a blob: for 30 KB of Cyrillic the driver needs
 * 34 us to return a text, but 13 us to return bytes that are decoded here.
 */
export function listTextOf<T>(items: Buffer | null): JsonText<T[]> {
  return `[${items?.toString() ?? ""}]` as JsonText<T[]>;
}

export function listBytesOf<T>(items: Buffer | null): JsonBytes<T[]> {
  return new JsonBytes("[", items ?? Buffer.alloc(0), "]");
}

export function jsonTextOf<T>(json: Json<T>): JsonText<T> {
  if (json instanceof JsonBytes) return json.toString();
  return typeof json === "string" ? (json as JsonText<T>) : toJsonText(json as T);
}

/** JSON text is parsed, for pages; other values are passed through. */
export function jsonValueOf<T>(json: Json<T>): T {
  if (json instanceof JsonBytes) return JSON.parse(json.toString()) as T;
  return typeof json === "string" ? (JSON.parse(json) as T) : (json as T);
}

/** A page of any paginated list (specification, section 2). */
export interface Page<T> {
  results: T[];
  next: string | null;
}

/**
 * Wraps results in a page's envelope, without parsing those that are already JSON text.
 * @param more further members, after `next`
 */
export function pageJson<T, More extends object = object>(
  results: Json<T[]>,
  next: string | null,
  more?: More,
): Json<Page<T> & More> {
  const rest = { next, ...more } as Omit<Page<T>, "results"> & More;
  if (results instanceof JsonBytes || typeof results === "string") {
    const after = `,${JSON.stringify(rest).slice(1)}`;
    return results instanceof JsonBytes
      ? results.within('{"results":', after)
      : (`{"results":${results}${after}` as JsonText<Page<T> & More>);
  }
  return { results, ...rest };
}

export function listJson<T>(results: Json<T[]>): Json<{ results: T[] }> {
  if (results instanceof JsonBytes) return results.within('{"results":', "}");
  return typeof results === "string"
    ? (`{"results":${results}}` as JsonText<{ results: T[] }>)
    : { results };
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Parses UTF-8 JSON; undefined if it is invalid. */
export function parseJson(json: Uint8Array): unknown {
  try {
    return JSON.parse(UTF_8.decode(json));
  } catch {
    return undefined;
  }
}

export type JsonObject = Record<string, unknown>;

export function isObject(given: unknown): given is JsonObject {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

export function asObject(given: unknown): JsonObject | null {
  return isObject(given) ? given : null;
}

/** The members of an object; empty for anything else. */
export function membersOf(given: unknown): JsonObject {
  return asObject(given) ?? {};
}
