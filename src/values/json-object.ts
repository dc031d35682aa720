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
