import { createHash } from "node:crypto";
import { type Database, statement } from "../../db/database.ts";

export type CategoryImages = ReturnType<typeof createCategoryImages>;

/**
 * Where the appliance serves imported images; a stored `image` that starts so is one of ours, and is
 * answered with the address of the appliance before it.
 */
export const IMAGE_PATH = "/images/";

/** Imported WebP images, kept by the hash of their content. */
export function createCategoryImages(db: Database) {
  return {
    /** @returns the path under which the image is served */
    add(content: Uint8Array): string {
      const name = `${createHash("sha256").update(content).digest("hex").slice(0, 32)}.webp`;
      statement(
        db,
        "INSERT INTO category_images (name, content) VALUES (?, ?) ON CONFLICT DO NOTHING",
      ).run(name, content);
      return IMAGE_PATH + name;
    },

    content(name: string): Uint8Array | undefined {
      return statement<{ content: Uint8Array }>(
        db,
        "SELECT content FROM category_images WHERE name = ?",
      ).get(name)?.content;
    },
  };
}
