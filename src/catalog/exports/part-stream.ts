/**
 * A file's parts as a stream that is read as fast as it is taken.
 * @param close called once nobody takes more: at the end, where a part failed, and where the stream is given up
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
