import categoriesFile from "../../../data/directories/categories.csv" with { type: "file" };
import territoriesFile from "../../../data/directories/territories.csv" with { type: "file" };
import { madeOnce } from "../../db/busy.ts";
import type { Database } from "../../db/database.ts";
import { findMeta, writeMeta } from "../../db/meta.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { importFile } from "./import-file.ts";

const LOADED = "directories_loaded";

/** Does nothing to a database that has had them. */
export async function loadShippedDirectories(db: Database, clock: Clock): Promise<void> {
  const find = () => findMeta(db, LOADED) ?? null;
  await madeOnce<unknown>(clock, find, async () => {
    await importFile(db, clock, "categories", categoriesFile);
    await importFile(db, clock, "territories", territoriesFile);
    await inTransaction(db, clock, "shipped-directories", (tx) => {
      if (findMeta(tx, LOADED) === undefined) writeMeta(tx, LOADED, Buffer.from("1"));
    });
  });
}
