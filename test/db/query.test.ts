import { afterEach, beforeEach, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { alias, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "../../src/db/database.ts";
import { IN_MEMORY, openDatabase } from "../../src/db/open-database.ts";
import { change, query } from "../../src/db/statement.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { systemClock } from "../../src/ports/clock.ts";

const notes = sqliteTable("notes", {
  id: integer("id").primaryKey(),
  isDone: integer("is_done", { mode: "boolean" }).notNull(),
  text: text("text").notNull(),
});

const notesById = query((db, { id }: { id: number }) =>
  db.select().from(notes).where(eq(notes.id, id)),
);
const allTexts = query((db) => db.select({ text: notes.text }).from(notes).orderBy(notes.id));
const add = change((db, { isDone, text }: { isDone: boolean; text: string }) =>
  db.insert(notes).values({ isDone, text }).returning({ id: notes.id }),
);
const setDone = change((db, { id, isDone }: { id: number; isDone: boolean }) =>
  db.update(notes).set({ isDone }).where(eq(notes.id, id)),
);

let db: Database;
beforeEach(() => {
  db = openDatabase(IN_MEMORY, systemClock);
  db.exec(
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, is_done INTEGER NOT NULL, text TEXT) STRICT",
  );
});
afterEach(() => db.close());

const texts = (): unknown[] => allTexts.all(db).map((row) => row.text);
const inTest = <T>(work: Parameters<typeof inTransaction<T>>[3]) =>
  inTransaction(db, systemClock, "test", work);

test("values and rows are converted as the table's columns declare", async () => {
  const made = await inTest((tx) => add.one(tx, { isDone: false, text: "a" }));
  expect(await notesById.one(db, made)).toEqual({ id: 1, isDone: false, text: "a" });
  expect(await inTest((tx) => setDone.written(tx, { id: 1, isDone: true }))).toBe(1);
  expect(await notesById.all(db, { id: 1 })).toEqual([{ id: 1, isDone: true, text: "a" }]);
  expect(await notesById.one(db, { id: 2 })).toBeUndefined();
});

test("a statement answers what its way means, also where no row is", async () => {
  expect(await allTexts.any(db)).toBe(false);
  expect(await allTexts.value(db)).toBeNull();
  expect(await allTexts.values(db)).toEqual([]);
  expect(await inTest((tx) => setDone.wrote(tx, { id: 1, isDone: true }))).toBe(false);
  for (const text of ["a", "b"]) await inTest((tx) => add.one(tx, { isDone: false, text }));
  expect(await allTexts.any(db)).toBe(true);
  expect(await allTexts.value(db)).toBe("a");
  expect(await allTexts.values(db)).toEqual(["a", "b"]);
  expect(await notesById.any(db, { id: 3 })).toBe(false);
  expect(await inTest((tx) => setDone.wrote(tx, { id: 2, isDone: true }))).toBe(true);
});

test("a joined table without a matching row is null", async () => {
  const next = alias(notes, "next");
  const pairs = query((db) =>
    db
      .select()
      .from(notes)
      .leftJoin(next, eq(next.id, sql`${notes.id} + 1`))
      .orderBy(notes.id),
  );
  await inTest(async (tx) => {
    for (const text of ["a", "b"]) await add.run(tx, { isDone: false, text });
  });
  const [a, b] = [1, 2].map((id) => ({ id, isDone: false, text: id === 1 ? "a" : "b" }));
  const [first, last] = [
    { notes: a, next: b },
    { notes: b, next: null },
  ];
  expect(await pairs.all(db)).toEqual([first, last] as never);
  expect(await pairs.one(db)).toEqual(first as never);
});

test("queries of a transaction are committed together, and those of the next one come after", async () => {
  const write = (text: string) =>
    inTest(async (tx) => {
      for (const part of [1, 2, 3]) await add.run(tx, { isDone: false, text: `${text}${part}` });
    });
  await Promise.all([write("a"), write("b")]);
  expect(texts()).toEqual(["a1", "a2", "a3", "b1", "b2", "b3"]);
});

test("a transaction whose query fails is rolled back, and the next one starts", async () => {
  const failed = inTest(async (tx) => {
    await add.run(tx, { isDone: false, text: "a" });
    await tx.builders.insert(notes).values({ id: 1, isDone: false, text: "twice" });
  });
  const next = inTest((tx) => add.run(tx, { isDone: false, text: "b" }));
  await expect(failed).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_PRIMARYKEY" });
  await next;
  expect(texts()).toEqual(["b"]);
});

test("each connection prepares a query for itself", async () => {
  const other = openDatabase(IN_MEMORY, systemClock);
  other.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, is_done INTEGER, text TEXT) STRICT");
  other.exec("INSERT INTO notes VALUES (1, 0, 'of the other')");
  expect(await notesById.one(db, { id: 1 })).toBeUndefined();
  expect(await notesById.one(other, { id: 1 })).toMatchObject({ text: "of the other" });
  other.close();
});

test("an error of a query names its statement", async () => {
  db.exec("DROP TABLE notes");
  const error = await Promise.resolve()
    .then(() => notesById.one(db, { id: 1 }))
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ cause: { sql: expect.stringContaining('from "notes"') } });
});
