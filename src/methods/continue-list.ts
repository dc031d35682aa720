import { AppError, fieldError } from "../errors.ts";
import { message } from "../values/messages/messages.ts";
import { CURSOR_LENGTH_MAX, type Cursors, type OpenedCursor, type Position } from "./cursor.ts";
import type { ApiMethod } from "./method.ts";
import type { RawArguments } from "./read-arguments.ts";

/** Arguments that may differ from page to page: they choose no items. */
const OF_THE_PAGE = new Set(["limit", "fields", "include"]);

/** A call of a list, with what its cursor says. */
interface ContinuedList {
  /** The arguments, with those of the cursor where the call gives none. */
  raw: RawArguments;
  /** Fault of the cursor, to be told once the other arguments were read; else null. */
  fault: AppError | null;
  /** Null on the first page, and for a former cursor, which has no filters. */
  opened: OpenedCursor | null;
  /** A former cursor (cursor.ts), else null. */
  former: string | null;
}

/**
 * Opens the cursor of a call, which carries its list: alone it continues that, and a filter beside it
 * with another value is refused.
 */
export function continueList(
  method: ApiMethod,
  raw: RawArguments,
  cursors: Cursors,
): ContinuedList {
  const given = raw["cursor"];
  const first = { raw, fault: null, opened: null, former: null };
  const { soleParameter, fileTypes } = method;
  // The cursor of a file is the key of a row, and carries nothing else.
  const isCarrier = "cursor" in method.parameters && fileTypes === undefined;
  if (!isText(given) || !isCarrier) return first;
  if (soleParameter !== undefined && isGiven(raw[soleParameter])) return first;
  const cursor = cursorOf(given);
  try {
    if (cursors.isFormer(cursor)) return { ...first, former: cursor };
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
 * The position after which a page begins; null for the first page.
 * @param formerScope what a former cursor was signed for
 * @param fixed arguments in the form in which cursors carry them, such as a number for a handle
 * @throws AppError `invalid` on `cursor`
 */
export function positionAfter(
  { opened, former }: ContinuedList,
  formerScope: string,
  fixed: Readonly<Record<string, string>>,
  cursors: Cursors,
): Position | null {
  if (former !== null) return cursors.openFormer(formerScope, former);
  if (opened === null) return null;
  const others = Object.keys(fixed).filter((name) => opened.of[name] !== fixed[name]);
  if (others.length > 0) throw otherList(others);
  return opened.at;
}

/** The query's arguments but the cursor, as texts: what the next page's address repeats. */
export function filtersOf({ parameters }: ApiMethod, raw: RawArguments): Record<string, string> {
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

/** Whether it is to be opened at all; all else is refused with the other arguments. */
function isText(given: unknown): given is string {
  return typeof given === "string" && given !== "" && given.length <= CURSOR_LENGTH_MAX;
}

/** The text of a cursor, given by itself or within the whole address of `next`. */
function cursorOf(given: string): string {
  return /(?:^|[?&])cursor=([\w-]*)/.exec(given)?.[1] ?? given;
}

/** The filters whose values are others than those of the cursor's list. */
function otherFilters(method: ApiMethod, raw: RawArguments, { of }: OpenedCursor): string[] {
  return Object.entries(method.parameters).flatMap(([name, parameter]) => {
    const given = raw[name];
    const isFilter = parameter.in === "query" && name !== "cursor" && !OF_THE_PAGE.has(name);
    if (!isFilter || !isGiven(given)) return [];
    const read = parameter.read(given);
    // A value that cannot be read is told of by itself.
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
