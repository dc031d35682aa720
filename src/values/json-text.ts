/**
 * JSON text of a value of type T. Cards are stored so, and results cross so from the thread that read
 * them to the one that answers: one text is cheaper to hand over than many objects.
 */
export type JsonText<T> = string & { readonly jsonOf: T };

/**
 * JSON of a long list as SQLite gave it, in UTF-8, between two texts. An answer is written from it as it
 * lies: making texts of a page of 50 posts takes a third as long as its query.
 */
export class JsonBytes<T> {
  declare readonly jsonOf: T;

  constructor(
    readonly before: string,
    readonly bytes: Buffer,
    readonly behind: string,
  ) {}

  within<Whole>(before: string, behind: string): JsonBytes<Whole> {
    return new JsonBytes(before + this.before, this.bytes, this.behind + behind);
  }

  toString(): JsonText<T> {
    return `${this.before}${this.bytes}${this.behind}` as JsonText<T>;
  }
}

/** A value, which is no text itself, or its JSON where that is at hand. */
export type Json<T> = T | JsonText<T> | JsonBytes<T>;

export function toJsonText<T>(value: T): JsonText<T> {
  return JSON.stringify(value) as JsonText<T>;
}

/**
 * A list's JSON, of its items as SQLite joined them and gave them as a blob: 30 KB of Cyrillic as a text take
 * the driver 34 us, as bytes with their decoding here 13.
 */
export function listTextOf<T>(items: Buffer | null): JsonText<T[]> {
  return `[${items?.toString() ?? ""}]` as JsonText<T[]>;
}

/** The same list, left as bytes. */
export function listBytesOf<T>(items: Buffer | null): JsonBytes<T[]> {
  return new JsonBytes("[", items ?? Buffer.alloc(0), "]");
}

/** Writes a value as JSON; JSON text is passed on as it is. */
export function jsonTextOf<T>(json: Json<T>): JsonText<T> {
  if (json instanceof JsonBytes) return json.toString();
  return typeof json === "string" ? (json as JsonText<T>) : toJsonText(json as T);
}

/** Reads JSON text as its value, for pages; a value is passed on as it is. */
export function jsonValueOf<T>(json: Json<T>): T {
  if (json instanceof JsonBytes) return JSON.parse(json.toString()) as T;
  return typeof json === "string" ? (JSON.parse(json) as T) : (json as T);
}

/** A page as every paginated list has it (specification, section 2). */
export interface Page<T> {
  results: T[];
  next: string | null;
}

/** Puts results into a page's envelope, without parsing those that are text. */
export function pageJson<T>(results: Json<T[]>, next: string | null): Json<Page<T>> {
  if (results instanceof JsonBytes) {
    return results.within('{"results":', `,"next":${JSON.stringify(next)}}`);
  }
  return typeof results === "string"
    ? (`{"results":${results},"next":${JSON.stringify(next)}}` as JsonText<Page<T>>)
    : { results, next };
}

export function listJson<T>(results: Json<T[]>): Json<{ results: T[] }> {
  if (results instanceof JsonBytes) return results.within('{"results":', "}");
  return typeof results === "string"
    ? (`{"results":${results}}` as JsonText<{ results: T[] }>)
    : { results };
}

/** Parses JSON in UTF-8; undefined where it is not JSON. */
export function parseJson(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  } catch {
    return undefined;
  }
}
