import type { Database } from "../../db/database.ts";
import { AppError, toAppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { message } from "../../values/messages/messages.ts";
import { formatDay, parseDay, startOfDay } from "../../values/moscow-time.ts";
import { createIsPublic } from "../channels/channels.store.ts";
import { highestRemoved, placeOfPost } from "../imports/kinds/exported-rows.store.ts";
import type { Position } from "../imports/kinds/exported-rows.ts";
import { lastRemoval } from "../imports/kinds/removed-months.store.ts";
import type { ExportPlace } from "./bulk.ts";
import { endOfChannel } from "./bulk-kinds.ts";
import { type BulkSelection, isPostsByChannel } from "./bulk-selection.ts";
import { type BulkTurn, createPace, type ExportPart } from "./export-part.ts";

/** Rows of an export that one unit of the quota pays for. */
export const ROWS_PER_UNIT = 1_000;

/**
 * Wait before each of the first thousands is charged. What was sent is in the client's machine at once, read
 * or not: a client that looks at the beginning and leaves, has left by then.
 */
const HESITATION_MS = 50;
const HESITATES_UP_TO_ROWS = 20_000;

/** Reads a part on another thread, so that it delays nobody. */
export type ReadPart = (turn: BulkTurn) => Promise<ExportPart>;

/**
 * Checks again whether the caller may export, and charges one more unit as of an instant. Returns why that
 * is impossible, or null once it is committed.
 */
export type Charge = (nowMs: number) => Promise<AppError | null>;

/**
 * The parts of an export: the first as already read, then each further 1,000 rows once they are charged. If
 * charging or reading fails, or the process stops, a last line says so and names the cursor to continue with.
 * @param after position after which the first part was read
 * @param place is closed at the end; if the consumer closes it earlier, nothing more is charged
 */
export async function* paidParts(
  first: ExportPart,
  { selection, after }: Pick<BulkTurn, "selection" | "after">,
  {
    readPart,
    charge,
    place,
    isStopping,
  }: { readPart: ReadPart; charge: Charge; place: ExportPlace; isStopping(): boolean },
  { clock, log }: { clock: Clock; log: Log },
): AsyncGenerator<Uint8Array, void> {
  const pace = createPace(clock);
  let part = first;
  let rows = 0;
  let last = after;
  try {
    // A scan that finds few rows may yield nothing for long, so it must check whether anybody is still
    // waiting.
    while (place.isOpen) {
      rows += part.rows;
      last = part.last ?? last;
      // Read while the current part is being sent, so that neither waits for the other, but charged only
      // afterwards.
      const reading = part.next === null ? null : readNext(part.next);
      // Otherwise a failure after the client has disconnected would count as unhandled.
      reading?.catch(() => {});
      const overdue = yield* sent(part.content);
      if (reading === null) return;
      const next = overdue ?? (await paid(reading));
      if (next instanceof AppError) {
        yield Buffer.from(endLine(selection, next, last));
        return;
      }
      part = next;
    }
  } finally {
    place.close();
  }

  /** @returns why nothing more is sent; null if more may be */
  async function* sent(content: Uint8Array): AsyncGenerator<Uint8Array, AppError | null> {
    const offeredMs = clock.monotonic();
    if (content.byteLength > 0) yield content;
    if (isStopping()) return new AppError("unavailable", message("stopping"));
    return pace.taken(content.byteLength, offeredMs);
  }

  function readNext(at: Position): Promise<ExportPart> {
    const rowsMax = ROWS_PER_UNIT - (rows % ROWS_PER_UNIT);
    return readPart({ selection, after: at, hasHeader: false, rowsMax });
  }

  /** Returns a part once it is paid for, or why it cannot be sent. */
  async function paid(reading: Promise<ExportPart>): Promise<ExportPart | AppError> {
    try {
      const read = await reading;
      const isThousand = rows > 0 && rows % ROWS_PER_UNIT === 0 && read.rows > 0;
      if (isThousand && rows <= HESITATES_UP_TO_ROWS) await clock.sleep(HESITATION_MS);
      // A client that has disconnected gets no more rows and is not charged.
      return (isThousand && place.isOpen ? await charge(clock.now()) : null) ?? read;
    } catch (error) {
      const fault = toAppError(error);
      if (fault.code === "internal") log.error({ err: error }, "a customer's export failed");
      return fault;
    }
  }
}

/** Last line of an incomplete export. No CSV row begins with a number sign. */
function endLine(selection: BulkSelection, { code, detail }: AppError, last: Position): string {
  const cursor = last === null ? null : cursorOf(selection, last);
  return selection.format === "ndjson"
    ? `${JSON.stringify({ export: { code, detail, cursor } })}\n`
    : `# ${code}; ${detail}; cursor=${cursor ?? ""}\n`;
}

/**
 * Columns that make up a cursor, which is the key of the last row received. For posts by channel it
 * includes the channel, so that the export can continue after one that was deleted.
 */
export function cursorColumns(selection: BulkSelection): string {
  if (selection.rows === "stats") return "channel:day";
  return isPostsByChannel(selection) ? "channel:id" : "id";
}

function cursorOf(selection: BulkSelection, position: readonly number[]): string {
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
    const id = Number(cursor);
    const place = /^\d{1,15}$/.test(cursor) ? placeOfPost(db, id) : undefined;
    return place === undefined ? null : [id, place.publishedAt];
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
  const place = placeOf(db, id);
  if (place === undefined || (place.channel ?? channel) !== channel) return null;
  return [id, place.publishedAt, channel];
}

/**
 * Where a post is in the order of a channel's posts. One that was removed with its month was before the months
 * that are kept.
 */
function placeOf(
  db: Database,
  id: number,
): { channel: number | null; publishedAt: number } | undefined {
  const place = placeOfPost(db, id);
  const removal = place === undefined ? lastRemoval(db, "posts") : null;
  if (removal === null || id > highestRemoved(db)) return place;
  return { channel: null, publishedAt: startOfDay(removal.before) - 1 };
}
