import type { ApiMethod } from "../../verbs/method.ts";
import type { Parameter } from "../../verbs/parameters.ts";
import type { RawArguments } from "../../verbs/read-arguments.ts";
import { fullCursor } from "./compact-cursor.ts";
import { quoted } from "./protocol-faults.ts";

/** Checks a tool call's arguments, and puts them into the form that methods take. */

/** The fault in a call's arguments that its method would not see; null if there is none. */
export function argumentsFault(
  { parameters, operationId }: ApiMethod,
  given: Record<string, unknown>,
): string | null {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(parameters, name)) {
      const known = Object.keys(parameters).join(", ") || "none";
      return `${operationId} has no argument ${quoted(name)}; it takes: ${known}.`;
    }
  }
  for (const name in parameters) {
    // A cursor carries its list's arguments, including the channel of posts.
    const isNeeded = parameters[name]?.required === true && typeof given["cursor"] !== "string";
    if (isNeeded && !Object.hasOwn(given, name)) {
      return `${operationId} needs the argument ${JSON.stringify(name)}.`;
    }
  }
  return null;
}

/** The fault in values that go into a path, once names have become numbers; null if there is none. */
export function pathFault({ parameters }: ApiMethod, raw: RawArguments): string | null {
  for (const name in parameters) {
    const value = raw[name];
    const isInPath = parameters[name]?.in === "path";
    if (isInPath && typeof value === "string" && /[/?#]/.test(value)) {
      return `${JSON.stringify(name)} must not contain /, ? or #.`;
    }
  }
  return null;
}

/**
 * Converts arguments to the form a method accepts: null counts as not given, a handle may have its `@`, and
 * a list may be a JSON array. What the tool adds by default is added.
 */
export function argumentsFor(
  { parameters, toolDefaults }: ApiMethod,
  given: Readonly<Record<string, unknown>>,
): RawArguments {
  const raw: RawArguments = {};
  const isNextPage = typeof given["cursor"] === "string";
  for (const name in given) {
    const parameter = parameters[name];
    const value = given[name];
    if (parameter === undefined) continue;
    if (value === null && (!parameter.required || isNextPage)) continue;
    raw[name] = argumentFor(name, parameter, value);
  }
  if (toolDefaults === undefined || isNextPage) return raw;
  const { unless = [], args } = toolDefaults;
  return unless.some((name) => raw[name] !== undefined) ? raw : { ...args, ...raw };
}

function argumentFor(name: string, { isList }: Parameter<unknown>, value: unknown): unknown {
  if (typeof value === "string") {
    if (name === "channel") return value.trim().replace(/^@/, "");
    return name === "cursor" ? cursorFor(value) : value;
  }
  const isFlat = isList && Array.isArray(value) && value.every((item) => typeof item !== "object");
  return isFlat ? value.join(",") : value;
}

/** A cursor as a tool gave it, or as the API did, alone or within an address. */
function cursorFor(given: string): string {
  return /^[\w-]+$/.test(given) ? fullCursor(given) : given;
}
