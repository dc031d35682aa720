import { LRUCache } from "lru-cache";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { type Picture, pictureOf } from "../../values/picture.ts";

export const PICTURE_REQUEST = {
  accept: "image/webp,image/png,image/jpeg,image/gif",
  bytesMax: 512 * 1024,
};

const CACHE_BYTES_MAX = 16 * 1024 * 1024;
/** Memory that a cache entry is taken to need beside the picture, in bytes. */
const ENTRY_BYTES = 4 * 1024;
const CACHED_MS = 24 * 60 * 60 * 1000;
/** Failures are cached for a shorter time, so that the picture is tried again soon. */
const FAILURE_CACHED_MS = 10 * 60 * 1000;
/** Limit for concurrent fetches, out of the 256 that the process has for everything. */
const AT_ONCE = 6;
const WAITING_MAX = 200;
const RETRY_AFTER_S = 5;

/**
 * Fetches the picture at a card's `image`; null if there is none that may be shown.
 * @throws AppError `throttled` if too many wait, which says nothing about the picture
 */
export type Pictures = (address: string) => Promise<Picture | null>;

/**
 * Returns channels' pictures, fetched by the appliance itself so that their hosts do not learn who views
 * what. Up to 16 MiB are cached in memory for a day, failures for ten minutes.
 * @param get reads an address chosen by a stranger, up to `PICTURE_REQUEST.bytesMax`
 */
export function createPictures(
  get: (address: string) => Promise<Uint8Array | null>,
  { monotonic }: Pick<Clock, "monotonic">,
): Pictures {
  const cache = new LRUCache<string, { picture: Picture | null; endsAt: number }>({
    maxSize: CACHE_BYTES_MAX,
    sizeCalculation: ({ picture }) => ENTRY_BYTES + (picture?.content.byteLength ?? 0),
  });
  const underWay = new Map<string, Promise<Picture | null>>();
  const waiting: (() => void)[] = [];
  let fetching = 0;

  async function read(address: string): Promise<Picture | null> {
    if (fetching < AT_ONCE) fetching += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      const content = await get(address);
      const picture = content === null ? null : pictureOf(content);
      const endsAt = monotonic() + (picture === null ? FAILURE_CACHED_MS : CACHED_MS);
      cache.set(address, { picture, endsAt });
      return picture;
    } finally {
      underWay.delete(address);
      const next = waiting.shift();
      // The slot is handed over directly, so that no newcomer can take it in between.
      if (next === undefined) fetching -= 1;
      else next();
    }
  }

  return async (address) => {
    const known = cache.get(address);
    if (known !== undefined && known.endsAt > monotonic()) return known.picture;
    let reading = underWay.get(address);
    if (reading === undefined) {
      if (waiting.length >= WAITING_MAX) {
        throw new AppError("throttled", message("addressThrottled"), {
          retryAfterS: RETRY_AFTER_S,
        });
      }
      reading = read(address);
      underWay.set(address, reading);
    }
    return reading;
  };
}
