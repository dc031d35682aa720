import { AppError } from "../../../errors.ts";
import { viewMethod } from "../../../methods/call.ts";
import type { ApiMethod } from "../../../methods/method.ts";
import { type Json, jsonValueOf, type Page } from "../../../values/json-text.ts";
import type { SiteContext } from "../site-context.ts";
import { membershipOf, viewerOf } from "./viewer.ts";
import type { Visit } from "./visit.ts";

/**
 * Asks a method of the API for this visitor, and gives its answer as a value: the plan's rules hold,
 * nothing is counted.
 * @throws AppError any of the method's errors
 */
export async function lookUp<Result>(
  method: ApiMethod,
  raw: Record<string, string>,
  visit: Visit,
  { services, accounts }: SiteContext,
): Promise<Result> {
  const viewer = await viewerOf(membershipOf(visit), accounts, visit.nowMs);
  return jsonValueOf(
    (await viewMethod(method, raw, { services, viewer, nowMs: visit.nowMs })) as Json<Result>,
  );
}

/** Gives a refusal instead of throwing it, where the page is to tell it beside its own form. */
export async function orRefusal<Result>(result: Promise<Result>): Promise<Result | AppError> {
  try {
    return await result;
  } catch (error) {
    const isTold =
      error instanceof AppError && ["invalid", "tariff_required", "timeout"].includes(error.code);
    if (isTold) return error;
    throw error;
  }
}

/** The cursor of the page after this one, or null. */
export function nextCursor({ next }: Pick<Page<unknown>, "next">): string | null {
  return next === null ? null : new URLSearchParams(next.slice(next.indexOf("?"))).get("cursor");
}
