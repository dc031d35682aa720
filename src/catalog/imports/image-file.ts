import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { imageSize } from "image-size";
import { message } from "../../values/messages/messages.ts";
import type { CategoryImages } from "../directory/category-images.ts";
import { RowFault } from "./import-kind.ts";

const SIDE_MAX = 500;
const BYTES_MAX = 1024 * 1024;

/**
 * Reads an `image` cell into the address to be stored: an address stays as it is; a file, which must be
 * WebP of at most 500 pixels a side (decisions, section 3), goes into the database and gets an address.
 * @throws RowFault
 */
export function readImage(given: string, folder: string | null, images: CategoryImages): string {
  if (/^https?:\/\//i.test(given)) {
    if (!URL.canParse(given)) throw new RowFault("image", message("notAddress"));
    return given;
  }
  if (folder === null) {
    throw new RowFault(
      "image",
      message("imageNotAddress", { example: "https://example.com/a.webp" }),
    );
  }
  const content = readBytes(resolve(folder, given), given);
  if (content.byteLength > BYTES_MAX) {
    throw new RowFault("image", message("imageTooLarge", { file: given, bytes: BYTES_MAX }));
  }
  const { type, width, height } = measure(content);
  if (type !== "webp") throw new RowFault("image", message("imageNotWebp", { file: given }));
  if (width > SIDE_MAX || height > SIDE_MAX) {
    throw new RowFault(
      "image",
      message("imageTooWide", { file: given, width, height, side: SIDE_MAX }),
    );
  }
  return images.add(content);
}

function readBytes(path: string, given: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch {
    throw new RowFault("image", message("noImageFile", { file: given }));
  }
}

function measure(content: Uint8Array): { type: string | undefined; width: number; height: number } {
  try {
    const { type, width, height } = imageSize(content);
    return { type, width, height };
  } catch {
    return { type: undefined, width: 0, height: 0 };
  }
}
