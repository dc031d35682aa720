import type { Log } from "../../ports/log.ts";

/** Channels per turn: 5 MB of the file, some 50 ms of disk time. A million take two minutes. */
export const CHANNELS_PER_TURN = 10_000;

/**
 * Reads all cards once after the start, in file order, so that the system caches them. A rarely requested
 * card lies on two database pages anywhere in the file, and reading them from the disk blocks the answering
 * thread: a random one of a million channels took 340 µs, 61 of them processor time, and 48 and 17 once all
 * had been read, which took 5 s.
 * @param read reads the cards after a number, on a thread; returns the last one's number, null after the
 * last
 */
export function createCardsReadAhead(
  read: (afterId: number) => Promise<number | null>,
  log: Log,
): { tick(): Promise<void> } {
  let afterId: number | null = 0;
  return {
    /** Does one turn of the remaining work. Never throws. */
    async tick() {
      if (afterId === null) return;
      try {
        afterId = await read(afterId);
      } catch (error) {
        afterId = null;
        log.warn({ err: error }, "cards could not be read ahead");
      }
    },
  };
}
