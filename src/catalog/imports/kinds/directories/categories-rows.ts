import type { Database } from "../../../../db/database.ts";
import { message } from "../../../../values/messages/messages.ts";
import { categoriesInUse } from "../../../channels/channels.store.ts";
import { createCategoryImages } from "../../../directory/category-images.ts";
import { createDirectoryStore } from "../../../directory/directory.store.ts";
import type { Category } from "../../../directory/directory.table.ts";
import { lineColumn, slugColumn } from "../../../fields/columns.ts";
import { type Given, type ImportContext, type ImportKind, RowFault } from "../import-kind.ts";
import { directoryRows, idColumn, inFileOrder, nextId, requireFreeId } from "./directory-rows.ts";
import { imageColumn, imageText, readImage } from "./image-file.ts";

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
