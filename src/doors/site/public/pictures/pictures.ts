import { LRUCache } from "lru-cache";
import { AppError } from "../../../../errors.ts";
import { message } from "../../../../values/messages/messages.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const KEPT_BYTES_MAX = 16 * 1024 * 1024;
/** Pictures are drawn one after the other; so many wait some two seconds. */
const WAITING_MAX = 25;
const RETRY_AFTER_S = 5;

/**
 * Draws pictures on a thread. A picture is kept by what it shows, so that one whose channel did not change is
 * not drawn again.
 */
export function createDrawing(drawPng: (svg: string) => Promise<Bytes>) {
  const kept = new LRUCache<string, Bytes>({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: (png, svg) => png.length + svg.length,
  });
  let waiting = 0;
  /** @throws AppError `throttled` if too many wait */
  return async (svg: string): Promise<Bytes> => {
    const known = kept.get(svg);
    if (known !== undefined) return known;
    if (waiting >= WAITING_MAX) {
      throw new AppError("throttled", message("addressThrottled"), { retryAfterS: RETRY_AFTER_S });
    }
    waiting += 1;
    try {
      const png = await drawPng(svg);
      kept.set(svg, png);
      return png;
    } finally {
      waiting -= 1;
    }
  };
}
