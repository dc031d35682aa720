import type { Database } from "../../db/database.ts";
import { formatDay, parseDay } from "../../values/moscow-time.ts";
import { createIsPublic } from "../channels/channels.store.ts";
import { placeOfPost } from "../imports/kinds/exported-rows.store.ts";
import type { Position } from "../imports/kinds/exported-rows.ts";
import { endOfChannel } from "./bulk-kinds.ts";
import { type BulkSelection, isPostsByChannel } from "./bulk-selection.ts";

/**
 * Columns that make up a cursor, which is the key of the last row received. For posts by channel it
 * includes the channel, so that the export can continue after one that was deleted.
 */
export function cursorColumns(selection: BulkSelection): string {
  if (selection.rows === "stats") return "channel:day";
  return isPostsByChannel(selection) ? "channel:id" : "id";
}

/** Cursor that names the row at a position. */
export function cursorOf(selection: BulkSelection, position: readonly number[]): string {
  const [first = 0, second = 0, third = 0] = position;
  if (selection.rows === "stats") return `${first}:${formatDay(second)}`;
  return isPostsByChannel(selection) ? `${third}:${first}` : String(first);
}

/** Position after the row that a cursor names; null if it names no row of the selection. */
export function positionOf(db: Database, cursor: string, selection: BulkSelection): Position {
  if (selection.rows === "stats") {
    const [, channel = "", day = ""] = /^(\d{1,15}):(.+)$/.exec(cursor) ?? [];
    const parsed = parseDay(day);
    return parsed === null ? null : [Number(channel), parsed];
  }
  if (selection.found !== null) {
    const place = /^\d{1,15}$/.test(cursor) ? placeOfPost(db, Number(cursor)) : undefined;
    return place === undefined ? null : [Number(cursor), place.publishedAt];
  }
  if (isPostsByChannel(selection)) {
    const [, channel, id] = /^(\d{1,15}):(\d{1,15})$/.exec(cursor) ?? [];
    return channel === undefined ? null : placeAfter(db, selection, Number(channel), Number(id));
  }
  return /^\d{1,15}$/.test(cursor) ? [Number(cursor)] : null;
}

/** Position of a post in a selected channel; null if there never was such a post. */
function placeAfter(
  db: Database,
  { channelId }: BulkSelection,
  channel: number,
  id: number,
): Position {
  if (channelId !== null && channel !== channelId) return null;
  // A channel that is gone or hidden has nothing left to send.
  if (!createIsPublic(db)(channel)) return endOfChannel(channel);
  const place = placeOfPost(db, id);
  return place?.channel === channel ? [id, place.publishedAt, channel] : null;
}
