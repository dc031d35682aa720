import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { transaction } from "../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { type Claims, createOwnClaims, takeOneOf } from "../../values/claims.ts";
import { message } from "../../values/messages/messages.ts";
import { inCurrentWork } from "../../values/tenant.ts";
import type { Position } from "../imports/kinds/exported-rows.ts";
import { type SeenRemovals, seenRemovals } from "../imports/kinds/removed-months.store.ts";
import type { BulkKind, BulkSelection } from "./bulk-selection.ts";
import { createPace, type ExportPart, type ExportTurn, exportParts } from "./export-part.ts";
import type { ExportSelection, ExportWish } from "./export-selection.ts";
import { type Charge, paidParts, positionOf, type ReadPart, ROWS_PER_UNIT } from "./paid-parts.ts";

/** Concurrent exports per organization: each keeps a part in memory while its client reads slowly. */
export const EXPORTS_MAX = 2;
const RETRY_AFTER_S = 10;
/**
 * How long an export may send nothing: scanning a million channels without a match takes some 20 seconds on
 * a quiet machine.
 */
export const EXPORT_SILENCE_MAX_S = 5 * 60;

export interface BulkFile {
  /** Its pieces, each read after the previous one was taken. */
  parts: AsyncGenerator<Uint8Array, void>;
  /** Must be called if nobody reads the parts. */
  close(): void;
}

export type Bulk = ReturnType<typeof createBulk>;

/**
 * Customers' exports.
 * @param places limits exports per organization, across all workers
 */
export function createBulk(
  db: Database,
  readPart: ReadPart,
  ports: { clock: Clock; log: Log },
  places: Claims = createOwnClaims(),
) {
  let isStopping = false;
  return {
    positionOf: (cursor: string, selection: BulkSelection): Position =>
      positionOf(db, cursor, selection),

    seenRemovals: (rows: BulkKind): SeenRemovals => seenRemovals(db, ports.clock.now(), rows),

    /**
     * Begins an export, whose first 1,000 rows the request itself is charged for.
     * @param after position to start after; null starts with the first row and the header line
     * @throws AppError `throttled` if the organization already has as many exports under way as allowed
     */
    async start(
      selection: BulkSelection,
      after: Position,
      { organizationId, charge }: { organizationId: number; charge: Charge },
    ): Promise<BulkFile> {
      const name = takeOneOf(places, String(organizationId), EXPORTS_MAX);
      if (name === null) {
        const detail = message("exportsUnderWay", { exports: EXPORTS_MAX });
        throw new AppError("throttled", detail, { retryAfterS: RETRY_AFTER_S });
      }
      return inPlace(places, name, async (place) => {
        const turn = { selection, after, hasHeader: after === null, rowsMax: ROWS_PER_UNIT };
        const first = await readPart(turn);
        // The stream that the parts go to calls for the next one outside of the request.
        const readNext = inCurrentWork(readPart);
        const paid = { readPart: readNext, charge, place, isStopping: () => isStopping };
        return paidParts(first, turn, paid, ports);
      });
    },

    /** Ends the exports under way after their current part, with a last line that says so. */
    stop(): void {
      isStopping = true;
    },
  };
}

export interface ExportPlace {
  isOpen: boolean;
  /** Releases it; may be called repeatedly. */
  close(): void;
}

/** Begins an export in the place of that name, which is released once its file is closed. */
async function inPlace(
  places: Claims,
  name: string,
  begin: (place: ExportPlace) => Promise<BulkFile["parts"]>,
): Promise<BulkFile> {
  const place: ExportPlace = {
    isOpen: true,
    close() {
      if (!place.isOpen) return;
      place.isOpen = false;
      places.giveBack(name);
    },
  };
  try {
    return { parts: await begin(place), close: place.close };
  } catch (error) {
    place.close();
    throw error;
  }
}

interface Operations {
  readExport(wish: ExportWish): Promise<ExportSelection>;
  exportPart(turn: ExportTurn): Promise<ExportPart>;
  noteExport(wish: ExportWish, by: Actor): Promise<void>;
}

export type Downloads = ReturnType<typeof createDownloads>;

/**
 * Staff's downloads of exports, one at a time, because each keeps a thread busy at the expense of serving.
 */
export function createDownloads(
  operations: Operations,
  { clock, log }: { clock: Clock; log: Log },
) {
  const places = createOwnClaims();

  /** @throws AppError `timeout`, which breaks the file off, if it is read too slowly or for too long */
  async function* inPace(
    parts: AsyncGenerator<Uint8Array, void>,
  ): AsyncGenerator<Uint8Array, void> {
    const pace = createPace(clock);
    for await (const part of parts) {
      const offeredMs = clock.monotonic();
      yield part;
      const overdue = pace.taken(part.byteLength, offeredMs);
      if (overdue === null) continue;
      log.warn({ reason: overdue.detail }, "an export was given up");
      throw overdue;
    }
  }

  async function exportPart(turn: ExportTurn): Promise<ExportPart> {
    try {
      return await operations.exportPart(turn);
    } catch (error) {
      log.error({ err: error }, "an export failed");
      throw error;
    }
  }

  return {
    /**
     * Contents of an export, read on demand. The next one may start once this one is complete, has failed
     * or was cancelled.
     * @throws AppError `conflict` while another is in progress, `invalid` as `readExport`
     */
    async open(wish: ExportWish, by: Actor): Promise<BulkFile> {
      const name = "staff";
      if (!places.take(name)) throw new AppError("conflict", message("exportUnderWay"));
      return inPlace(places, name, async () => {
        const selection = await operations.readExport(wish);
        await operations.noteExport(wish, by);
        return inPace(exportParts(exportPart, selection));
      });
    },
  };
}

/** Recorded before the first row is read. */
export const noteExport = transaction(
  "export-start",
  (tx, clock, { kind, format, from, to, channel }: ExportWish, by: Actor) =>
    recordChange(tx, clock, by, {
      action: "export.start",
      id: kind,
      details: {
        format,
        ...(from !== "" && { from }),
        ...(to !== "" && { to }),
        ...(channel !== "" && { channel }),
      },
    }),
);
