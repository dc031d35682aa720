import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { imageSize } from "image-size";
import { message } from "../../values/messages/messages.ts";
import { type CategoryImages, IMAGE_PATH } from "../directory/category-images.ts";
import { type Column, lineColumn } from "../fields/columns.ts";
import { RowFault } from "./import-kind.ts";

const SIDE_MAX = 500;
const BYTES_MAX = 1024 * 1024;

/** Start of a `data:` URL, the form in which exports write images that are stored in the database. */
const DATA_PREFIX = "data:image/webp;base64,";
const DATA_LENGTH_MAX = DATA_PREFIX.length + 4 * Math.ceil(BYTES_MAX / 3);
/** What messages call an image without a file name. */
const DATA_NAME = "The image";

/** An address, the name of a file, or the image itself. */
export function imageColumn(): Column<string> {
  const [name, data] = [lineColumn(2048), lineColumn(DATA_LENGTH_MAX)];
  return {
    nullable: true,
    read: (given) => (isData(given) ? data : name).read(given),
  };
}

function isData(given: unknown): given is string {
  return typeof given === "string" && given.startsWith(DATA_PREFIX);
}

/** An image as exports write it, including the contents of one that is stored in the database. */
export function imageText(stored: string, images: CategoryImages): string {
  const content = stored.startsWith(IMAGE_PATH)
    ? images.content(stored.slice(IMAGE_PATH.length))
    : undefined;
  return content === undefined ? stored : DATA_PREFIX + Buffer.from(content).toString("base64");
}

/**
 * Converts an `image` cell to the address to be stored. An address stays as it is; an image, which must be
 * WebP of at most 500 pixels a side, is added to the database and gets an address.
 * @throws RowFault
 */
export function readImage(given: string, folder: string | null, images: CategoryImages): string {
  if (/^https?:\/\//i.test(given)) {
    if (!URL.canParse(given)) throw new RowFault("image", message("notAddress"));
    return given;
  }
  if (isData(given)) {
    const content = Buffer.from(given.slice(DATA_PREFIX.length), "base64");
    return addImage(content, DATA_NAME, images);
  }
  if (folder === null) {
    throw new RowFault(
      "image",
      message("imageNotAddress", { example: "https://example.com/a.webp" }),
    );
  }
  return addImage(readBytes(resolve(folder, given), given), given, images);
}

/** @param file its name in messages. @throws RowFault */
function addImage(content: Uint8Array, file: string, images: CategoryImages): string {
  if (content.byteLength > BYTES_MAX) {
    throw new RowFault("image", message("imageTooLarge", { file, bytes: BYTES_MAX }));
  }
  const { type, width, height } = measure(content);
  if (type !== "webp") throw new RowFault("image", message("imageNotWebp", { file }));
  if (width > SIDE_MAX || height > SIDE_MAX) {
    throw new RowFault("image", message("imageTooWide", { file, width, height, side: SIDE_MAX }));
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
