import { EXPORT_SILENCE_MAX_S } from "../../../catalog/exports/bulk.ts";
import { csvCell, csvLine } from "../../../catalog/exports/csv-line.ts";
import { partStream } from "../../../catalog/exports/export-part.ts";
import { isActive } from "../../../customers/accounts/accounts.ts";
import type { Caller } from "../../../customers/keys/keys.ts";
import { rateLimited } from "../../../customers/limits/limits.ts";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { fileStamp } from "../../../values/moscow-time.ts";
import { callMethod } from "../../../verbs/call.ts";
import type { exportChannels, exportPosts } from "../../../verbs/export.ts";
import { FileAnswer } from "../../../verbs/method.ts";
import { pageError } from "../forms/faults.ts";
import { useSite, useVisit } from "./use-visit.ts";
import type { View } from "./view.ts";
import { ownMembership, viewerOf } from "./viewer.ts";

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
