import type { Log } from "../../ports/log.ts";

/** Channels of a turn: 5 MB of the file, some 50 ms of a disk. A million take two minutes. */
export const CHANNELS_PER_TURN = 10_000;

/**
 * Reads all cards once after a start, in the order in which they lie in the file, so that the system
 * has them in memory. A card that is asked for seldom lies on two pages anywhere in the file. From the
 * disk they hold up the thread that answers: of a million channels, one at random took 340 µs and 61 of
 * processor time, and 48 and 17 once all had been read, which took 5 s.
 * @param read cards after a number, on a thread; it gives the last one's number, null after the last
 */
export function createCardsReadAhead(
  read: (afterId: number) => Promise<number | null>,
  log: Log,
): { look(): Promise<void> } {
  let afterId: number | null = 0;
  return {
    /** Does one turn of what is left. Never throws. */
    async look() {
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
