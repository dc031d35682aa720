import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { IN_MEMORY, openDatabase } from "../../src/db/open-database.ts";
import { fakeClock } from "../support/fake-ports.ts";

/** drizzle's tables must declare exactly what the migrations created. */

const SOURCE = join(import.meta.dir, "../../src");
const files = [...new Glob("**/*.{store,table}.ts").scanSync(SOURCE)].sort();
const tables = await Promise.all(
  files.map(async (file) => {
    const values: unknown[] = Object.values(await import(join(SOURCE, file)));
    const declared = (await Bun.file(join(SOURCE, file)).text()).match(/ = sqliteTable\(/g) ?? [];
    return { file, found: values.filter((value) => is(value, SQLiteTable)), declared };
  }),
);

const clock = fakeClock("2026-11-20T12:00:00+03:00");
let db: Database;
beforeAll(async () => {
  db = openDatabase(IN_MEMORY, clock);
  await migrate(db, clock);
});
afterAll(() => db.close());

interface StoredColumn {
  name: string;
  type: string;
  notnull: number;
  /** Position in the primary key, counted from 1; 0 if it is not part of it. */
  pk: number;
}

for (const { file, found } of tables) {
  for (const table of found) {
    const name = getTableName(table);
    test(`${name} has exactly the columns of the migrated schema (${file})`, () => {
      const stored = db.pragma<StoredColumn>(`table_info(${name})`);
      const declared = Object.values(getTableColumns(table));
      const byName = <T extends { name: string }>(a: T, b: T) => (a.name < b.name ? -1 : 1);
      expect(
        declared
          .map((column) => ({
            name: column.name,
            type: column.getSQLType().toUpperCase(),
            isNotNull: column.notNull,
          }))
          .toSorted(byName),
      ).toEqual(
        stored
          .map(({ name, type, notnull, pk }) => ({
            name,
            type,
            isNotNull: notnull === 1 || pk > 0,
          }))
          .toSorted(byName),
      );

      const [ofSeveral] = getTableConfig(table).primaryKeys;
      const key = ofSeveral?.columns ?? declared.filter((column) => column.primary);
      const storedKey = stored.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
      expect(key.map((column) => column.name)).toEqual(storedKey.map((column) => column.name));
    });
  }
}

test("each table is exported, and no table is declared twice", () => {
  for (const { file, found, declared } of tables) {
    const least = file.endsWith(".table.ts") ? 1 : 0;
    expect(declared.length, file).toBeGreaterThanOrEqual(least);
    expect(found.length, file).toBe(declared.length);
  }
  const names = tables.flatMap(({ found }) => found.map((table) => getTableName(table)));
  expect(names.length).toBeGreaterThanOrEqual(16);
  expect(names).toEqual([...new Set(names)]);
});
