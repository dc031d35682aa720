/** An object of an answer's JSON. */
export type JsonObject = Record<string, unknown>;

export function isObject(given: unknown): given is JsonObject {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

/** Null for what is no object. */
export function asObject(given: unknown): JsonObject | null {
  return isObject(given) ? given : null;
}
