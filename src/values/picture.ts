import { imageSize } from "image-size";

/** A picture that others gave, as it is served again. */
export interface Picture {
  /** Its media type, told by its bytes: what the other side calls it does not count. */
  type: string;
  content: Uint8Array<ArrayBuffer>;
}

/** A small file may hold a picture that takes gigabytes when a browser unpacks it. */
const SIDE_MAX = 2_000;

/** First bytes of the formats that every browser shows and that can run nothing; as Latin-1. */
const SIGNATURES: readonly [type: string, signature: RegExp][] = [
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/png", /^\x89PNG/],
  ["image/webp", /^RIFF.{4}WEBP/s],
  ["image/gif", /^GIF8[79]a/],
];

/** The picture that these bytes are; null where they are another thing, or one that is too large. */
export function pictureOf(bytes: Uint8Array): Picture | null {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  const type = SIGNATURES.find(([, signature]) => signature.test(start))?.[0];
  if (type === undefined) return null;
  try {
    const { width, height } = imageSize(bytes);
    const isShown = width >= 1 && height >= 1 && Math.max(width, height) <= SIDE_MAX;
    return isShown ? { type, content: new Uint8Array(bytes) } : null;
  } catch {
    return null;
  }
}
