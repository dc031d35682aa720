/**
 * A file's parts as a stream that is read only as fast as it is consumed.
 * @param close called when reading ends: at the end, after a failure, or when the consumer cancels
 */
export function partStream(
  parts: AsyncGenerator<Uint8Array, void>,
  close: () => void,
): ReadableStream<Uint8Array> {
  const source: Bun.UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      const { done, value } = await parts.next().catch((error) => {
        close();
        throw error;
      });
      if (done !== true) {
        controller.enqueue(value);
        return;
      }
      close();
      controller.close();
    },
    async cancel() {
      close();
      await parts.return();
    },
  };
  // The stream buffers nothing that was not requested.
  return new ReadableStream(source, { highWaterMark: 0 });
}
