import { AppError, type FieldFaults, fieldError, notFound } from "../errors.ts";
import { type Read, typeName } from "../values/fields.ts";
import { message } from "../values/messages/messages.ts";
import type { Described } from "./method.ts";
import { CURSOR_LENGTH_MAX, type Cursors, type OpenedCursor, type Position } from "./paging.ts";
import type { Parameter } from "./parameters.ts";

/** Stands for a text that is not valid UTF-8. */
export const UNDECODABLE = Symbol("bad UTF-8");

/** Arguments by parameter name, as texts or JSON values; absent if not given. */
export type RawArguments = Record<string, unknown>;

/**
 * Parses a request's input as the method's arguments.
 * @param mayMiss whether required arguments may be missing; they are then undefined
 * @throws AppError `invalid` with all faults at once; `not_found` for a fault in the path
 */
export function readArguments(
  { parameters, soleParameter }: Pick<Described, "parameters" | "soleParameter">,
  raw: RawArguments,
  body: unknown,
  { mayMiss = false }: { mayMiss?: boolean } = {},
): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  // No prototype, because a field may have any name.
  const faults: FieldFaults = Object.create(null);
  const fields = readObject(body);
  for (const name of Object.keys(fields)) {
    if (parameters[name]?.in !== "body") faults[name] = [message("unknownField")];
  }
  const sole = soleParameter === undefined ? undefined : raw[soleParameter];
  // A sole parameter makes all others ignored, except those that shape the answer.
  const names =
    soleParameter !== undefined && sole !== undefined && sole !== ""
      ? [soleParameter, "fields", "include"]
      : Object.keys(parameters);
  for (const name of names) {
    const parameter = parameters[name];
    if (parameter === undefined) continue;
    const given = parameter.in === "body" ? fields[name] : raw[name];
    if (given === undefined || (given === "" && parameter.in !== "body")) {
      if (parameter.required && !mayMiss) faults[name] = [message("required")];
      args[name] = parameter.default;
      continue;
    }
    const read = readArgument(parameter, given);
    if ("value" in read) args[name] = read.value;
    else if (parameter.in === "path" && isText(given)) throw notFound("object");
    else faults[name] = [read.fault];
  }
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  return args;
}

/**
 * Whether a path could contain the value. MCP may pass others, which are `invalid` rather than `not_found`.
 */
function isText(given: unknown): boolean {
  return given === UNDECODABLE || typeof given === "string" || typeof given === "number";
}

/** @throws AppError `invalid` for JSON that is not an object */
function readObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) {
    return body as Record<string, unknown>;
  }
  const fault = message("notObject", { type: typeName(body) });
  throw fieldError({ non_field_errors: [fault] });
}

function readArgument(parameter: Parameter<unknown>, given: unknown): Read<unknown> {
  if (given === UNDECODABLE) return { fault: message("notUtf8") };
  if (given === null && parameter.takesNull !== true) return { fault: message("notNull") };
  if (typeof given === "string" && given.includes("\0")) {
    return { fault: message("nullCharacters") };
  }
  return parameter.read(given);
}

/** Arguments that may change from page to page, because they do not affect which items the list has. */
const PAGE_ARGUMENTS = new Set(["limit", "fields", "include"]);

interface ContinuedList {
  raw: RawArguments;
  /** What is wrong with the cursor, reported after the other arguments have been read; else null. */
  fault: AppError | null;
  /** Null on the first page. */
  opened: OpenedCursor | null;
}

/**
 * Opens a call's cursor, which carries the whole list: on its own it continues that list, and a filter
 * given beside it with a different value is refused.
 */
export function continueList(
  method: Described,
  raw: RawArguments,
  cursors: Cursors,
): ContinuedList {
  const given = raw["cursor"];
  const first = { raw, fault: null, opened: null };
  const { soleParameter, fileTypes } = method;
  // The cursor of a file is the key of a row, and carries nothing else.
  const isCarrier = "cursor" in method.parameters && fileTypes === undefined;
  if (!mayBeCursor(given) || !isCarrier) return first;
  if (soleParameter !== undefined && isGiven(raw[soleParameter])) return first;
  const cursor = cursorOf(given);
  try {
    const opened = cursors.open(method.operationId, cursor);
    const others = otherFilters(method, raw, opened);
    if (others.length > 0) throw otherList(others);
    return { ...first, raw: { ...opened.of, ...onlyGiven(raw) }, opened };
  } catch (error) {
    if (error instanceof AppError) return { ...first, fault: error };
    throw error;
  }
}

/**
 * Position that a page starts after; null for the first page.
 * @param fixed arguments as cursors carry them, such as a number instead of a handle
 * @throws AppError `invalid` on `cursor`
 */
export function positionAfter(
  { opened }: ContinuedList,
  fixed: Readonly<Record<string, string>>,
): Position | null {
  if (opened === null) return null;
  const others = Object.keys(fixed).filter((name) => opened.of[name] !== fixed[name]);
  if (others.length > 0) throw otherList(others);
  return opened.at;
}

/** All query arguments except the cursor, as texts, for the next page's URL to repeat. */
export function filtersOf({ parameters }: Described, raw: RawArguments): Record<string, string> {
  const filters: Record<string, string> = {};
  for (const name in parameters) {
    if (parameters[name]?.in !== "query" || name === "cursor" || !isGiven(raw[name])) continue;
    filters[name] = String(raw[name]);
  }
  return filters;
}

function otherList(names: readonly string[]): AppError {
  return fieldError({ cursor: [message("cursorOfOtherList", { names })] });
}

/** Whether a cursor can be opened at all; anything else is refused along with the other arguments. */
function mayBeCursor(given: unknown): given is string {
  return typeof given === "string" && given !== "" && given.length <= CURSOR_LENGTH_MAX;
}

/** Extracts a cursor that is given on its own or as the whole URL of `next`. */
function cursorOf(given: string): string {
  return /(?:^|[?&])cursor=([\w-]*)/.exec(given)?.[1] ?? given;
}

/** Filters whose values differ from those of the cursor's list. */
function otherFilters(method: Described, raw: RawArguments, { of }: OpenedCursor): string[] {
  return Object.entries(method.parameters).flatMap(([name, parameter]) => {
    const given = raw[name];
    const isFilter = parameter.in === "query" && name !== "cursor" && !PAGE_ARGUMENTS.has(name);
    if (!isFilter || !isGiven(given)) return [];
    const read = parameter.read(given);
    // An unreadable value is reported separately.
    if ("fault" in read) return [];
    const stored = of[name] === undefined ? undefined : parameter.read(of[name]);
    const value = stored === undefined ? parameter.default : "value" in stored && stored.value;
    return JSON.stringify([read.value]) === JSON.stringify([value]) ? [] : [name];
  });
}

function onlyGiven(raw: RawArguments): RawArguments {
  return Object.fromEntries(Object.entries(raw).filter(([, given]) => isGiven(given)));
}

function isGiven(given: unknown): boolean {
  return given !== undefined && given !== "";
}
