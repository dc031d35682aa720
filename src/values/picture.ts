import { readFileSync } from "node:fs";
import { imageSize } from "image-size";

export interface Picture {
  /** Its media type, detected from its bytes: what the sender claims does not count. */
  type: string;
  content: Uint8Array<ArrayBuffer>;
}

/** A transparent pixel: without any picture, browsers would draw a broken frame over the initials. */
export const EMPTY_PICTURE: Picture = {
  type: "image/gif",
  content: new Uint8Array(
    Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
  ),
};

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

interface Logo {
  content: Uint8Array<ArrayBuffer>;
  type: string;
  /** Width divided by height. */
  ratio: number;
}

const LOGO_BYTES_MAX = 256 * 1024;
/** A wider logo would leave no room in the navigation bar. */
const LOGO_RATIO_MAX = 6;
const TYPES: Record<string, string> = {
  svg: "image/svg+xml",
  png: "image/png",
  webp: "image/webp",
};

/** Reads a logo from a file. @throws Error with a sentence that says what would be valid */
export function readLogo(path: string): Logo {
  // The image itself instead of its path: `KANALOG_LOGO_FILE` was set, and a setting's `_FILE` variable
  // passes the file's contents.
  if (/[<\p{Cc}]/u.test(path)) throw new Error("must be the path of the logo's file.");
  const content = contentOf(path);
  if (content.byteLength > LOGO_BYTES_MAX) {
    throw new Error(
      `the file ${JSON.stringify(path)} is larger than ${LOGO_BYTES_MAX / 1024} KiB.`,
    );
  }
  const { type, width, height } = measure(content);
  const mediaType = TYPES[type];
  if (mediaType === undefined || width < 1 || height < 1) {
    throw new Error(
      `the file ${JSON.stringify(path)} is not an SVG, PNG or WebP image with a size.`,
    );
  }
  const ratio = width / height;
  if (ratio > LOGO_RATIO_MAX || ratio < 1 / LOGO_RATIO_MAX) {
    throw new Error(
      `the image ${JSON.stringify(path)} is more than ${LOGO_RATIO_MAX} times as long as wide.`,
    );
  }
  return { content, type: mediaType, ratio };
}

function contentOf(path: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(path));
  } catch {
    throw new Error(`the file ${JSON.stringify(path)} cannot be read.`);
  }
}

function measure(content: Uint8Array): { type: string; width: number; height: number } {
  try {
    const { type = "", width, height } = imageSize(content);
    return { type, width, height };
  } catch {
    return { type: "", width: 0, height: 0 };
  }
}
