import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { type Claims, createOwnClaims, takeOneOf } from "../../values/claims.ts";
import { message } from "../../values/messages/messages.ts";
import { inCurrentWork } from "../../values/tenant.ts";
import type { Position } from "../imports/kinds/exported-rows.ts";
import { positionOf } from "./bulk-cursor.ts";
import type { BulkSelection } from "./bulk-selection.ts";
import { type Charge, paidParts, type ReadPart, ROWS_PER_UNIT } from "./paid-parts.ts";

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
  return {
    positionOf: (cursor: string, selection: BulkSelection): Position =>
      positionOf(db, cursor, selection),

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
      const place = takePlace(places, String(organizationId), EXPORTS_MAX);
      if (place === null) {
        const detail = message("exportsUnderWay", { exports: EXPORTS_MAX });
        throw new AppError("throttled", detail, { retryAfterS: RETRY_AFTER_S });
      }
      try {
        const turn = { selection, after, hasHeader: after === null, rowsMax: ROWS_PER_UNIT };
        const first = await readPart(turn);
        // The stream that the parts go to calls for the next one outside of the request.
        const readNext = inCurrentWork(readPart);
        const parts = paidParts(first, turn, { readPart: readNext, charge, place }, ports);
        return { parts, close: place.close };
      } catch (error) {
        place.close();
        throw error;
      }
    },
  };
}

export interface ExportPlace {
  isOpen: boolean;
  /** Releases it; may be called repeatedly. */
  close(): void;
}

/**
 * Takes one of the owner's places; null if all are taken.
 * @param of the owner: an organization's number, or `staff`
 */
export function takePlace(places: Claims, of: string, placesMax: number): ExportPlace | null {
  const name = takeOneOf(places, of, placesMax);
  if (name === null) return null;
  const place: ExportPlace = {
    isOpen: true,
    close() {
      if (!place.isOpen) return;
      place.isOpen = false;
      places.giveBack(name);
    },
  };
  return place;
}
