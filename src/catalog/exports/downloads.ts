import type { Actor } from "../../customers/audit/audit-log.ts";
import { AppError } from "../../errors.ts";
import type { Log } from "../../ports/log.ts";
import { message } from "../../values/messages/messages.ts";
import { type ExportPart, type ExportTurn, exportParts } from "./export-part.ts";
import type { ExportSelection, ExportWish } from "./export-selection.ts";

/** Operations on threads. */
interface Operations {
  readExport(wish: ExportWish): Promise<ExportSelection>;
  exportPart(turn: ExportTurn): Promise<ExportPart>;
  noteExport(wish: ExportWish, by: Actor): Promise<void>;
}

export type Downloads = ReturnType<typeof createDownloads>;

/** Exports that staff download, one at a time: each keeps a thread busy, which takes from what is served. */
export function createDownloads(operations: Operations, log: Log) {
  let isUnderWay = false;
  const end = (): void => {
    isUnderWay = false;
  };
  return {
    /**
     * The content of an export, read as fast as it is taken. The next may start once it was read to its
     * end, failed or was cancelled.
     * @throws AppError `conflict` while another is under way, `invalid` as `readExport`
     */
    async start(wish: ExportWish, by: Actor): Promise<ReadableStream<Uint8Array>> {
      if (isUnderWay) throw new AppError("conflict", message("exportUnderWay"));
      isUnderWay = true;
      try {
        const selection = await operations.readExport(wish);
        await operations.noteExport(wish, by);
        const parts = exportParts(operations.exportPart, selection);
        return toStream(parts, end, (error) => log.error({ err: error }, "an export failed"));
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}

function toStream(
  parts: AsyncGenerator<Uint8Array>,
  onEnd: () => void,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const source: Bun.UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      try {
        const { done, value } = await parts.next();
        if (done !== true) {
          controller.enqueue(value);
          return;
        }
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        onError(error);
        controller.error(error);
      }
    },
    async cancel() {
      onEnd();
      await parts.return(undefined);
    },
  };
  // The stream keeps no part that was not asked for.
  return new ReadableStream(source, { highWaterMark: 0 });
}
