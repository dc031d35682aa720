import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { imageSize } from "image-size";
import type { Database } from "../../../../db/database.ts";
import { message } from "../../../../values/messages/messages.ts";
import { categoriesInUse } from "../../../channels/channels.store.ts";
import type { CategoryImages } from "../../../directory/category-images.ts";
import { createCategoryImages, IMAGE_PATH } from "../../../directory/category-images.ts";
import { createDirectoryStore } from "../../../directory/directory.store.ts";
import type { Category } from "../../../directory/directory.table.ts";
import { type Column, lineColumn, slugColumn } from "../../../fields/columns.ts";
import { type Given, type ImportContext, type ImportKind, RowFault } from "../import-kind.ts";
import { directoryRows, idColumn, inFileOrder, nextId, requireFreeId } from "./directory-rows.ts";

const SIDE_MAX = 500;
const BYTES_MAX = 1024 * 1024;

/** Start of a `data:` URL, the form in which exports write images that are stored in the database. */
const DATA_PREFIX = "data:image/webp;base64,";
const DATA_LENGTH_MAX = DATA_PREFIX.length + 4 * Math.ceil(BYTES_MAX / 3);

/** An address, the name of a file, or the image itself. */
function imageColumn(): Column<string> {
  const name = lineColumn(2048);
  const data = lineColumn(DATA_LENGTH_MAX);
  return {
    nullable: true,
    read: (cell) => (isData(cell) ? data : name).read(cell),
  };
}

function isData(cell: unknown): cell is string {
  return typeof cell === "string" && cell.startsWith(DATA_PREFIX);
}

/** An image as exports write it, including the contents of one that is stored in the database. */
function imageText(stored: string, images: CategoryImages): string {
  const content = stored.startsWith(IMAGE_PATH)
    ? images.content(stored.slice(IMAGE_PATH.length))
    : undefined;
  return content === undefined ? stored : DATA_PREFIX + Buffer.from(content).toString("base64");
}

/**
 * Converts an `image` cell to the address to be stored. An address stays as it is; an image, which must be
 * WebP of at most 500 pixels a side, is added to the database and gets an address.
 * @param folder where image files are found; null if the cell may not name any
 * @throws RowFault
 */
function readImage(cell: string, folder: string | null, images: CategoryImages): string {
  if (/^https?:\/\//i.test(cell)) {
    if (!URL.canParse(cell)) throw new RowFault("image", message("notAddress"));
    return cell;
  }
  if (isData(cell)) {
    const content = Buffer.from(cell.slice(DATA_PREFIX.length), "base64");
    return addImage(content, null, images);
  }
  if (folder === null) {
    throw new RowFault(
      "image",
      message("imageNotAddress", { example: "https://example.com/a.webp" }),
    );
  }
  return addImage(readBytes(resolve(folder, cell), cell), cell, images);
}

/** @param file name of its file; null for an image in the cell. @throws RowFault */
function addImage(content: Uint8Array, file: string | null, images: CategoryImages): string {
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

function readBytes(path: string, file: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch {
    throw new RowFault("image", message("noImageFile", { file }));
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

interface CategoryRow {
  id: number;
  slug: string;
  name: string;
  /** An address, the name of an image file, or the image itself. */
  image: string;
}

/** Categories are identified by `slug`; the directory takes over the order of the file. */
export const categoriesImport: ImportKind<CategoryRow> = {
  columns: {
    id: idColumn(),
    slug: slugColumn(),
    name: lineColumn(200),
    image: imageColumn(),
  },
  isDirectory: true,
  open(db: Database, context: ImportContext) {
    const store = createDirectoryStore(db);
    const images = createCategoryImages(db);
    const fileOrder = new Set<string>();
    const slugOfId = new Map(store.categories().map(({ id, slug }) => [id, slug]));

    return {
      write(row: Given<CategoryRow>) {
        const { slug } = row;
        if (slug == null) throw new RowFault("slug", message("required"));
        const stored = store.category(slug);
        const name = row.name ?? stored?.name;
        if (name === undefined) throw new RowFault("name", message("required"));
        requireFreeId(row.id, slug, stored?.id, slugOfId);
        const keptImage = row.image === null ? null : (stored?.image ?? null);
        const image = row.image == null ? keptImage : readImage(row.image, context.folder, images);
        fileOrder.add(slug);
        if (stored !== undefined && stored.name === name && stored.image === image) {
          return "unchanged";
        }
        if (stored !== undefined) {
          store.saveCategory({ slug, name, image, position: stored.position });
          return "updated";
        }
        const id = row.id ?? nextId(slugOfId, context.highestNumber ?? 0);
        store.saveCategory({ id, slug, name, image, position: slugOfId.size });
        slugOfId.set(id, slug);
        return "inserted";
      },

      inUse: () => categoriesInUse(db),

      removeOthers(named, inUse) {
        let removed = 0;
        for (const { id, slug } of store.categories()) {
          if (named.has(slug)) continue;
          if (inUse.has(slug)) {
            context.note(message("staysForChannels", { slug }));
            continue;
          }
          store.removeCategory(slug);
          slugOfId.delete(id);
          removed += 1;
        }
        return removed;
      },

      beforeCommit() {
        inFileOrder(store.categories(), fileOrder).forEach((category, index) => {
          const { slug, name, image } = category;
          if (category.position !== index)
            store.saveCategory({ slug, name, image, position: index });
        });
      },
    };
  },
  exported: {
    columns: ["id", "slug", "name", "image"],
    selectedBy: [],
    rows(db, _selection, after, limit) {
      const images = createCategoryImages(db);
      const toValues = ({ id, slug, name, image }: Category) => ({
        id,
        slug,
        name,
        image: image && imageText(image, images),
      });
      return directoryRows(createDirectoryStore(db).categories(), toValues, after, limit);
    },
  },
};
