import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import { transaction } from "../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { createOwnClaims } from "../../values/claims.ts";
import { message } from "../../values/messages/messages.ts";
import { type BulkFile, takePlace } from "./bulk.ts";
import { createPace, type ExportPart, type ExportTurn, exportParts } from "./export-part.ts";
import type { ExportSelection, ExportWish } from "./export-selection.ts";

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
      const place = takePlace(places, "staff", 1);
      if (place === null) throw new AppError("conflict", message("exportUnderWay"));
      try {
        const selection = await operations.readExport(wish);
        await operations.noteExport(wish, by);
        return { parts: inPace(exportParts(exportPart, selection)), close: place.close };
      } catch (error) {
        place.close();
        throw error;
      }
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
