import { AppError, fieldError } from "../errors.ts";
import { message } from "../values/messages/messages.ts";
import { CURSOR_LENGTH_MAX, type Cursors, type OpenedCursor, type Position } from "./cursor.ts";
import type { Described } from "./method.ts";
import type { RawArguments } from "./read-arguments.ts";

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
  if (!isText(given) || !isCarrier) return first;
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
function isText(given: unknown): given is string {
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
