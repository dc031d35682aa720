import { readFileSync } from "node:fs";
import { imageSize } from "image-size";

/** An operator's logo. */
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
