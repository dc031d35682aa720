import type { CardView } from "../../../catalog/channels/card.ts";
import { AppError, type ErrorCode } from "../../../errors.ts";
import { type Json, jsonValueOf, type Page } from "../../../values/json-text.ts";
import { viewMethod } from "../../../verbs/call.ts";
import type { ApiMethod } from "../../../verbs/method.ts";
import { useSite, useVisit } from "./use-visit.ts";
import { viewer } from "./viewer.ts";

/**
 * Calls an API method for this visitor and returns its parsed answer: the plan's rules apply, nothing is
 * counted.
 * @throws AppError any of the method's errors
 */
export async function lookUp<Result>(
  method: ApiMethod,
  raw: Record<string, string>,
): Promise<Result> {
  const { services } = useSite();
  const { nowMs } = useVisit();
  return jsonValueOf(
    (await viewMethod(method, raw, { services, viewer: await viewer(), nowMs })) as Json<Result>,
  );
}

/**
 * Returns a refusal instead of throwing it, for a page that shows it beside its own form.
 * @param more codes that this page shows too
 */
export async function orRefusal<Result>(
  result: Promise<Result>,
  ...more: ErrorCode[]
): Promise<Result | AppError> {
  try {
    return await result;
  } catch (error) {
    const codes: ErrorCode[] = ["invalid", "tariff_required", "timeout", ...more];
    if (error instanceof AppError && codes.includes(error.code)) return error;
    throw error;
  }
}

/** Cursor of the next page, or null. */
export function nextCursor({ next }: Pick<Page<unknown>, "next">): string | null {
  return next === null ? null : new URLSearchParams(next.slice(next.indexOf("?"))).get("cursor");
}

/** Cards of the channels that a page names, by number, without those that are not public. */
export function cardsOf(ids: readonly number[]): ReadonlyMap<number, CardView> {
  const cards = jsonValueOf(useSite().services.channels.cards([...new Set(ids)]));
  return new Map(cards.map((card) => [card.id, card]));
}
