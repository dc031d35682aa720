import type { BulkFile } from "./bulk.ts";

/** A file as a stream that is read as fast as it is taken; given up, it frees its place. */
export function bulkStream(
  file: BulkFile,
  parts: AsyncGenerator<Uint8Array, void> = file.parts,
): ReadableStream<Uint8Array> {
  const source: Bun.UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      file.close();
      await parts.return();
    },
  };
  // The stream keeps no part that was not asked for.
  return new ReadableStream(source, { highWaterMark: 0 });
}
