import type { CardView } from "../../../catalog/channels/card.ts";
import type { CardAnswer } from "../../../catalog/channels/stored-card.ts";
import { EXPORT_SILENCE_MAX_S } from "../../../catalog/exports/bulk.ts";
import { csvCell, csvLine } from "../../../catalog/exports/csv-line.ts";
import { partStream } from "../../../catalog/exports/export-part.ts";
import { isActive } from "../../../customers/accounts/accounts.ts";
import type { Caller } from "../../../customers/keys/keys.ts";
import { rateLimited } from "../../../customers/limits/limits.ts";
import { AppError, type ErrorCode } from "../../../errors.ts";
import { type Json, jsonValueOf, type Page } from "../../../values/json-text.ts";
import { message } from "../../../values/messages/messages.ts";
import { fileStamp } from "../../../values/moscow-time.ts";
import { callMethod, viewMethod } from "../../../verbs/call.ts";
import { type ApiMethod, FileAnswer } from "../../../verbs/method.ts";
import type { exportChannels, exportPosts } from "../../../verbs/methods/export.ts";
import type { Services } from "../../../verbs/services.ts";
import { pageError } from "../forms/faults.ts";
import { ownMembership, ownPlan, requireManager, viewer, viewerOf } from "./viewer.ts";
import { useSite, useVisit, type View } from "./visit.ts";

/**
 * Calls an API method for this visitor and returns its parsed answer: the plan's rules apply, nothing is
 * counted. @param body fields as a program would send them
 * @throws AppError any of the method's errors
 */
export async function lookUp<Result>(
  method: ApiMethod,
  raw: Record<string, string>,
  body = {},
): Promise<Result> {
  const { services } = useSite();
  const { nowMs, language } = useVisit();
  const viewing = { services, viewer: await viewer(), nowMs, language, body };
  return jsonValueOf((await viewMethod(method, raw, viewing)) as Json<Result>);
}

/** As `lookUp`, for a method that changes something. @throws AppError also `manager_required` */
export async function change<Result>(
  method: ApiMethod,
  raw: Record<string, string>,
  body = {},
): Promise<Result> {
  if (method.audience === "managers") requireManager();
  try {
    return await lookUp<Result>(method, raw, body);
  } catch (error) {
    throw error instanceof AppError ? await inWordsOfPages(error) : error;
  }
}

/** A plan's refusal as pages say it: the API's own sentences are about methods, and name plans by code. */
async function inWordsOfPages(error: AppError): Promise<AppError> {
  const { organizationPages, webhookPages, alertPages } = useVisit().words;
  const { code, webhooks, alerts } = await ownPlan();
  switch (error.publicMessage.code) {
    case "methodNotIncluded":
      return pageError(error.code, organizationPages.notInPlan);
    case "webhooksNotIncluded":
      return pageError(error.code, webhookPages.planFull(code, webhooks));
    case "alertsNotIncluded":
      return pageError(error.code, alertPages.planFull(code, alerts));
    default:
      return error;
  }
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

/** Downloads an API export, charged as in the API, under a key of the visitor's own. */
export async function bulkDownload(
  method: typeof exportChannels | typeof exportPosts,
  filter: Partial<Record<string, string>>,
  name: string,
): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  const { services } = context;
  const caller = await callerAt(visit.nowMs);
  const rate = services.limits.takeRequest(caller, visit.nowMs);
  if (!rate.allowed) throw rateLimited(rate, caller.plan.requestsPerSecond);
  const outcome = await callMethod(method, filter, {
    services,
    caller,
    nowMs: visit.nowMs,
    callerAt,
    readBody: async () => ({}),
    nextPage: (_opened, query) => `?${query()}`,
    ownUrl: (path) => path,
  });
  if (!outcome.ok) throw outcome.error;
  const { body } = outcome;
  if (!(body instanceof FileAnswer)) throw new Error("an export answered with no file");
  context.giveTime(visit.request, EXPORT_SILENCE_MAX_S);
  return {
    kind: "download",
    fileName: `${name}-${fileStamp(visit.nowMs)}.csv`,
    type: body.type,
    body: partStream(body.file.parts, body.file.close),
  };
}

/**
 * The visitor as an API caller at an instant, with their newest valid key.
 * @throws AppError `authentication_failed` if they are no longer a member, `conflict` without a key
 */
async function callerAt(nowMs: number): Promise<Caller> {
  const { accounts, keys } = useSite();
  const former = ownMembership();
  // Read before the account, which may then be newer than this state, but never older.
  const copy = accounts.copy();
  const places = await accounts.allMembershipsOf(former.member.email);
  const membership = places
    .filter(isActive)
    .find(({ organization }) => organization.id === former.organization.id);
  if (membership === undefined) {
    throw new AppError("authentication_failed", message("keyOfSuspended"));
  }
  const viewer = await viewerOf(membership, accounts, nowMs);
  const [key] = await keys.newest({
    organizationId: viewer.organization.id,
    memberId: viewer.member.id,
    areEnded: false,
    nowMs,
    before: null,
    limit: 1,
  });
  if (key === undefined) throw pageError("conflict", useVisit().words.mentionPages.noKeyYet);
  return { ...viewer, key, copy };
}

/** Invisible characters: some reverse the text that follows, or hide what a cell begins with. */
const UNSEEN = /\p{Bidi_Control}|[\u00ad\u200b\u2060\ufeff]|(?![\t\n\r])\p{Cc}/gu;

const CELLS = { isNullable: false, isRaw: false };

/**
 * Rows as a CSV file, without cells that spreadsheets would run and without misleading characters; columns
 * are named after the fields.
 */
export function csvDownload<Row extends object>(
  fileName: string,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): View {
  const lines = rows.map((row) => csvLine(columns.map((name) => cellOf(row[name]))));
  const body = new Blob([csvLine(columns), ...lines]).stream();
  return { kind: "download", fileName, type: "text/csv; charset=utf-8", body };
}

function cellOf(value: unknown): string {
  return csvCell(typeof value === "string" ? value.replace(UNSEEN, "") : value, CELLS);
}

/** Its place by subscribers among the channels of its category; null if they are unknown. */
export async function readRank(
  { search, directory }: Pick<Services, "search" | "directory">,
  { kind, category, subscribers, subscribers_at: readAt }: CardAnswer,
): Promise<number | null> {
  const categoryId = category === null ? null : directory.categoryId(category);
  if (categoryId === null || kind !== "channel" || readAt === null) return null;
  return search.rank({ categoryId, subscribers });
}
