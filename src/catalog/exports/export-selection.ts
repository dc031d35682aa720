import type { Database } from "../../db/database.ts";
import { type FieldFaults, fieldError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { type Day, parseDay, startOfDay } from "../../values/moscow-time.ts";
import { parsePathReference, parseResolveQuery } from "../channels/channel-reference.ts";
import { selectId } from "../channels/channels.store.ts";
import type { ExportRow, Position, RowSelection } from "../imports/kinds/exported-rows.ts";
import { type ImportKindName, importKinds } from "../imports/kinds/import-kinds.ts";
import { seenRemovals } from "../imports/kinds/removed-months.store.ts";
import type { ImportFormat } from "../imports/reading/recognized.ts";
import { foundAfter } from "../post-search/finding/select-found.store.ts";
import { requireWhole } from "../post-search/post-search.ts";
import { selectPostsById } from "../posts/posts.store.ts";
import { firstOpenDay } from "../statistics/open-days.ts";
import type { BulkSelection } from "./bulk-selection.ts";

export type ExportFormat = ImportFormat | "xlsx";

export const EXPORT_TYPES: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};
export const EXPORT_FORMATS = Object.keys(EXPORT_TYPES) as ExportFormat[];

/** Rows of an export, and how to write them. Plain data, because it is sent to a thread. */
export interface ExportSelection extends RowSelection {
  kind: ImportKindName;
  format: ExportFormat;
  /** Whether texts that a spreadsheet would run are left as they are. */
  isRaw: boolean;
  /** Whether CSV is written as Excel opens it: with a mark, semicolons and the line ends of Windows. */
  isExcel: boolean;
}

/** An export as requested: days and channel are texts as typed, empty if not given. */
export interface ExportWish {
  kind: ImportKindName;
  format: ExportFormat;
  isRaw: boolean;
  isExcel?: boolean;
  from: string;
  to: string;
  channel: string;
  hosts: readonly string[];
  /** Number of latest Moscow days whose derived values still follow their posts. */
  openDays: number;
}

/**
 * Reads the texts of a requested export.
 * @throws AppError `invalid` by field (`from`, `to`, `channel`, `raw`)
 */
export function readExport(
  db: Database,
  clock: Clock,
  { kind, format, isRaw, isExcel = false, from, to, channel, hosts, openDays }: ExportWish,
): ExportSelection {
  const faults: FieldFaults = {};
  const { selectedBy } = importKinds[kind].exported;
  const readDayOf = (field: "from" | "to", text: string): Day | null => {
    if (text === "") return null;
    const day = parseDay(text);
    if (!selectedBy.includes("days")) faults[field] = [message("exportWithoutDays")];
    else if (day === null) faults[field] = [message("notDay")];
    return day;
  };
  const days = { from: readDayOf("from", from), to: readDayOf("to", to) };
  if (days.from !== null && days.to !== null && days.to < days.from) {
    faults["to"] ??= [message("periodBackwards")];
  }
  if (channel !== "" && !selectedBy.includes("channel")) {
    faults["channel"] = [message("exportWithoutChannel")];
  }
  if (isRaw && format === "ndjson") faults["raw"] = [message("rawWithoutCsv")];
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  const channelId = channel === "" ? null : findChannel(db, hosts, channel);
  const openFrom = firstOpenDay(clock.now(), openDays);
  const removals = seenRemovals(db, clock.now(), kind);
  return { kind, format, isRaw, isExcel, ...days, channelId, openFrom, removals };
}

/** Finds a channel, including hidden ones. @throws AppError `invalid` on `channel` */
function findChannel(db: Database, hosts: readonly string[], name: string): number {
  const reference = /^\d+$/.test(name) ? parsePathReference(name) : parseResolveQuery(name, hosts);
  if (reference === null) throw fieldError({ channel: [message("notChannelOfExport")] });
  const id = selectId(db, reference);
  if (id === null) throw fieldError({ channel: [message("noChannel", { channel: name })] });
  return id;
}

/**
 * Posts that a search finds, newest first; candidates whose text lacks the exact form are dropped on the
 * way. As for other posts, the position starts with the id.
 * @throws AppError `unavailable` while the index is being rebuilt, since the file would end too early
 */
export function* foundRows(
  db: Database,
  { query, filter }: NonNullable<BulkSelection["found"]>,
  { leftOutBefore }: BulkSelection["removals"],
  after: Position,
  limit: number,
): Generator<ExportRow> {
  requireWhole(db);
  const [id = 0, at = 0] = after ?? [];
  // The index of a node may still have months that another one is removing.
  const fromMs =
    leftOutBefore === null
      ? filter.fromMs
      : Math.max(filter.fromMs ?? 0, startOfDay(leftOutBefore));
  const found = { query, filter: { ...filter, fromMs } };
  for (const match of foundAfter(db, found, after && [at, id], limit)) {
    const [post = null] = match.hasText() ? selectPostsById(db, [match.id]) : [];
    yield { position: [match.id, match.published_at], values: post };
  }
}
