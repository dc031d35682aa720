/**
 * JSON text of a value of type T. Answers travel as text from where they are read: made once, in
 * the thread that ran the query, which is cheaper than handing objects between threads. Cards are
 * stored as text already.
 */
export type JsonText<T> = string & { readonly jsonOf: T };

export function toJsonText<T>(value: T): JsonText<T> {
  return JSON.stringify(value) as JsonText<T>;
}

/** A page as every paginated list has it (specification, section 2). */
export interface Page<T> {
  results: T[];
  next: string | null;
}

/** The envelope around results that are text already. */
export function pageJsonText<T>(results: JsonText<T[]>, next: string | null): JsonText<Page<T>> {
  return `{"results":${results},"next":${JSON.stringify(next)}}` as JsonText<Page<T>>;
}

export function resultsJsonText<T>(results: JsonText<T[]>): JsonText<{ results: T[] }> {
  return `{"results":${results}}` as JsonText<{ results: T[] }>;
}

/** The value of a JSON text in UTF-8; undefined where it is none. */
export function parseJson(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
  } catch {
    return undefined;
  }
}
