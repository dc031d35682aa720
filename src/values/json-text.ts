/**
 * JSON text of a value of type T. Cards are stored as such, and what a thread read crosses to the one
 * that answers as such: made once, it is cheaper than handing many objects over.
 */
export type JsonText<T> = string & { readonly jsonOf: T };

/** A value that is no text of its own, or its JSON text where that is what there is. */
export type Json<T> = T | JsonText<T>;

export function toJsonText<T>(value: T): JsonText<T> {
  return JSON.stringify(value) as JsonText<T>;
}

/** The text that a door writes; JSON text is passed on as it is. */
export function jsonTextOf<T>(json: Json<T>): JsonText<T> {
  return typeof json === "string" ? (json as JsonText<T>) : toJsonText(json as T);
}

/** The value that a page shows. */
export function jsonValueOf<T>(json: Json<T>): T {
  return typeof json === "string" ? (JSON.parse(json) as T) : (json as T);
}

/** A page as every paginated list has it (specification, section 2). */
export interface Page<T> {
  results: T[];
  next: string | null;
}

/** The envelope around results, which are not parsed where they are text already. */
export function pageJson<T>(results: Json<T[]>, next: string | null): Json<Page<T>> {
  return typeof results === "string"
    ? (`{"results":${results},"next":${JSON.stringify(next)}}` as JsonText<Page<T>>)
    : { results, next };
}

export function listJson<T>(results: Json<T[]>): Json<{ results: T[] }> {
  return typeof results === "string"
    ? (`{"results":${results}}` as JsonText<{ results: T[] }>)
    : { results };
}

/** The value of a JSON text in UTF-8; undefined where it is none. */
export function parseJson(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  } catch {
    return undefined;
  }
}
