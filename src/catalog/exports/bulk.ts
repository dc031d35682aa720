import type { Database } from "../../db/database.ts";
import { AppError, toAppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { type Claims, createOwnClaims, takeOneOf } from "../../values/claims.ts";
import { message } from "../../values/messages/messages.ts";
import { formatDay, parseDay } from "../../values/moscow-time.ts";
import { createIsPublic } from "../channels/channels.store.ts";
import { placeOfPost } from "../imports/exported-rows.store.ts";
import type { Position } from "../imports/exported-rows.ts";
import { endOfChannel } from "./bulk-kinds.ts";
import type { BulkTurn } from "./bulk-part.ts";
import { type BulkSelection, isPostsByChannel } from "./bulk-selection.ts";
import type { ExportPart } from "./export-part.ts";

/** Rows that one unit pays for. */
export const ROWS_PER_UNIT = 1_000;
/** Exports of an organization under way at once: each keeps a part in memory while its reader is slow. */
export const EXPORTS_MAX = 2;
const RETRY_AFTER_S = 10;
/**
 * An export may send nothing for so long: to look through a million channels of which none is asked for takes some
 * 20 seconds of a quiet machine.
 */
export const EXPORT_SILENCE_MAX_S = 5 * 60;

/** A file that is sent while it is read. */
export interface BulkFile {
  /** Its pieces, each read once the one before was taken. */
  parts: AsyncGenerator<Uint8Array, void>;
  /** To be called where nobody reads the parts. */
  close(): void;
}

/** Whoever pays for an export. */
interface Payer {
  organizationId: number;
  /** Decides anew, and charges another unit at an instant; why it cannot be, or null once it is committed. */
  charge(nowMs: number): Promise<AppError | null>;
}

export type Bulk = ReturnType<typeof createBulk>;

/**
 * Exports of customers.
 * @param readPart reads a part on a thread that holds up nobody
 * @param places of organizations; several workers share theirs
 */
export function createBulk(
  db: Database,
  readPart: (turn: BulkTurn) => Promise<ExportPart>,
  { clock, log }: { clock: Clock; log: Log },
  places: Claims = createOwnClaims(),
) {
  /** Takes one of the organization's places. */
  function take(organizationId: number): Place {
    const name = takeOneOf(places, String(organizationId), EXPORTS_MAX);
    if (name === null) {
      const said = message("exportsUnderWay", { exports: EXPORTS_MAX });
      throw new AppError("throttled", said, { retryAfterS: RETRY_AFTER_S });
    }
    const place: Place = {
      isOpen: true,
      close() {
        if (!place.isOpen) return;
        place.isOpen = false;
        places.giveBack(name);
      },
    };
    return place;
  }

  return {
    /** The position after the row that a cursor names; null where it names none of the selection. */
    positionOf: (cursor: string, selection: BulkSelection): Position =>
      positionOf(db, cursor, selection),

    /**
     * Begins an export; the request itself pays for its first 1,000 rows, each further thousand is charged
     * before the first row of it leaves. Where that cannot be, or a part cannot be read, a last line says so and
     * names the cursor to go on with.
     * @param after where it begins; null: with the first row, and the line of columns
     * @throws AppError `throttled` where the organization has as many under way as it may have
     */
    async start(
      selection: BulkSelection,
      after: Position,
      { organizationId, charge }: Payer,
    ): Promise<BulkFile> {
      const place = take(organizationId);
      try {
        const turn = { selection, after, hasHeader: after === null, rowsMax: ROWS_PER_UNIT };
        const first = await readPart(turn);
        return { parts: paidParts(first, turn, charge, place), close: place.close };
      } catch (error) {
        place.close();
        throw error;
      }
    },
  };

  async function* paidParts(
    first: ExportPart,
    { selection, after }: Pick<BulkTurn, "selection" | "after">,
    charge: Payer["charge"],
    place: Place,
  ): AsyncGenerator<Uint8Array, void> {
    let part = first;
    let [rows, last]: [number, Position] = [0, after];
    const readNext = (at: Position): Promise<ExportPart> => {
      const rowsMax = ROWS_PER_UNIT - (rows % ROWS_PER_UNIT);
      return readPart({ selection, after: at, hasHeader: false, rowsMax });
    };
    /** A part once it is paid for, or why it cannot be sent. */
    const paid = async (reading: Promise<ExportPart>): Promise<ExportPart | AppError> => {
      try {
        const read = await reading;
        const isThousand = rows > 0 && rows % ROWS_PER_UNIT === 0 && read.rows > 0;
        // Whoever has gone gets no row of it.
        return (isThousand && place.isOpen ? await charge(clock.now()) : null) ?? read;
      } catch (error) {
        log.error({ err: error }, "a customer's export failed");
        return toAppError(error);
      }
    };
    try {
      // A search of many rows for few gives nothing to take, so it has to see that nobody waits for it.
      while (place.isOpen) {
        rows += part.rows;
        last = part.last ?? last;
        // Read while this one is taken, so that neither waits for the other, and charged only after.
        const reading = part.next === null ? null : readNext(part.next);
        // A failure that comes after the caller has gone would else count as unhandled.
        reading?.catch(() => {});
        if (part.content.byteLength > 0) yield part.content;
        if (reading === null) return;
        const next = await paid(reading);
        if (next instanceof AppError) {
          yield Buffer.from(endLine(selection, next, last));
          return;
        }
        part = next;
      }
    } finally {
      place.close();
    }
  }
}

/** One of the exports that an organization may have under way. */
interface Place {
  isOpen: boolean;
  /** Gives it back, however often it is called. */
  close(): void;
}

/** The last line of an export that is not whole. No row of CSV begins with a number sign. */
function endLine(selection: BulkSelection, { code, detail }: AppError, last: Position): string {
  const cursor = last === null ? null : cursorOf(selection, last);
  return selection.format === "ndjson"
    ? `${JSON.stringify({ export: { code, detail, cursor } })}\n`
    : `# ${code}; cursor=${cursor ?? ""}\n`;
}

/**
 * The columns of which a cursor is made: it is the key of the last row that arrived. Where posts come channel by
 * channel, it names the channel too, so that the export can go on behind one that was deleted.
 */
export function cursorColumns(selection: BulkSelection): string {
  if (selection.rows === "stats") return "channel:day";
  return isPostsByChannel(selection) ? "channel:id" : "id";
}

/** The key of a row, as its own columns have it. */
function cursorOf(selection: BulkSelection, position: readonly number[]): string {
  const [first = 0, second = 0, third = 0] = position;
  if (selection.rows === "stats") return `${first}:${formatDay(second)}`;
  return isPostsByChannel(selection) ? `${third}:${first}` : String(first);
}

function positionOf(db: Database, cursor: string, selection: BulkSelection): Position {
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

/** The place of a post in a channel that is asked for; null where there never was such a post. */
function placeAfter(
  db: Database,
  { channelId }: BulkSelection,
  channel: number,
  id: number,
): Position {
  if (channelId !== null && channel !== channelId) return null;
  // A channel that is gone, or hidden, has nothing left to send.
  if (!createIsPublic(db)(channel)) return endOfChannel(channel);
  const place = placeOfPost(db, id);
  return place?.channel === channel ? [id, place.publishedAt, channel] : null;
}
