import { createHash } from "node:crypto";
import { type Database, statement } from "../../db/database.ts";

export type CategoryImages = ReturnType<typeof createCategoryImages>;

/**
 * Path of imported images. A stored `image` that begins with it is served by the appliance itself, whose
 * address is prepended in answers.
 */
export const IMAGE_PATH = "/images/";

/** Images are stored under the hash of their content. */
export function createCategoryImages(db: Database) {
  return {
    /** @returns path under which the image is served */
    add(content: Uint8Array): string {
      const name = `${createHash("sha256").update(content).digest("hex").slice(0, 32)}.webp`;
      const sql =
        "INSERT INTO category_images (name, content) VALUES (?, ?) ON CONFLICT DO NOTHING";
      statement(db, sql).run(name, content);
      return IMAGE_PATH + name;
    },

    content(name: string): Uint8Array | undefined {
      const sql = "SELECT content FROM category_images WHERE name = ?";
      return statement<{ content: Uint8Array }>(db, sql).get(name)?.content;
    },
  };
}
