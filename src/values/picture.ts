import { imageSize } from "image-size";

export interface Picture {
  /** Its media type, detected from its bytes: what the sender claims does not count. */
  type: string;
  content: Uint8Array<ArrayBuffer>;
}

/** Limit for each side: a small file may contain a picture that takes gigabytes to decode. */
const SIDE_MAX = 2_000;

/** Signatures, as Latin-1, of the formats that every browser shows and that cannot run anything. */
const SIGNATURES: readonly [type: string, signature: RegExp][] = [
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/png", /^\x89PNG/],
  ["image/webp", /^RIFF.{4}WEBP/s],
  ["image/gif", /^GIF8[79]a/],
];

/** Recognizes a picture; null if the bytes are something else, or the picture is too large. */
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
