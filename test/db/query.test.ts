import { afterEach, beforeEach, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { alias, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "../../src/db/database.ts";
import { IN_MEMORY, openDatabase } from "../../src/db/open-database.ts";
import { change, param, query, queryNow } from "../../src/db/query.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { systemClock } from "../../src/ports/clock.ts";

const notes = sqliteTable("notes", {
  id: integer("id").primaryKey(),
  isDone: integer("is_done", { mode: "boolean" }).notNull(),
  text: text("text").notNull(),
});

const noteById = query((db) =>
  db
    .select()
    .from(notes)
    .where(eq(notes.id, sql.placeholder("id"))),
);
const allTexts = queryNow((db) => db.select({ text: notes.text }).from(notes).orderBy(notes.id));
const add = change((db) =>
  db
    .insert(notes)
    .values({ isDone: sql.placeholder("isDone"), text: sql.placeholder("text") })
    .returning({ id: notes.id }),
);
const setDone = change((db) =>
  db
    .update(notes)
    .set({ isDone: param("isDone") })
    .where(eq(notes.id, sql.placeholder("id"))),
);

let db: Database;
beforeEach(() => {
  db = openDatabase(IN_MEMORY, systemClock);
  db.exec(
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, is_done INTEGER NOT NULL, text TEXT) STRICT",
  );
});
afterEach(() => db.close());

const texts = (): unknown[] =>
  allTexts(db)
    .all()
    .map((row) => row.text);
const inTest = <T>(work: Parameters<typeof inTransaction<T>>[3]) =>
  inTransaction(db, systemClock, "test", work);

test("values and rows are converted as the table's columns declare", async () => {
  const made = await inTest((tx) => add(tx).get({ isDone: false, text: "a" }));
  expect(await noteById(db).get(made)).toEqual({ id: 1, isDone: false, text: "a" });
  const { changes } = await inTest((tx) => setDone(tx).run({ id: 1, isDone: true }));
  expect(changes).toBe(1);
  expect(await noteById(db).all({ id: 1 })).toEqual([{ id: 1, isDone: true, text: "a" }]);
  expect(await noteById(db).get({ id: 2 })).toBeUndefined();
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
    for (const text of ["a", "b"]) await add(tx).run({ isDone: false, text });
  });
  const [a, b] = [1, 2].map((id) => ({ id, isDone: false, text: id === 1 ? "a" : "b" }));
  const [first, last] = [
    { notes: a, next: b },
    { notes: b, next: null },
  ];
  expect(await pairs(db).all()).toEqual([first, last] as never);
  expect(await pairs(db).get()).toEqual(first as never);
});

test("queries of a transaction are committed together, and those of the next one come after", async () => {
  const write = (text: string) =>
    inTest(async (tx) => {
      for (const part of [1, 2, 3]) await add(tx).run({ isDone: false, text: `${text}${part}` });
    });
  await Promise.all([write("a"), write("b")]);
  expect(texts()).toEqual(["a1", "a2", "a3", "b1", "b2", "b3"]);
});

test("a transaction whose query fails is rolled back, and the next one starts", async () => {
  const failed = inTest(async (tx) => {
    await add(tx).run({ isDone: false, text: "a" });
    await tx.builders.insert(notes).values({ id: 1, isDone: false, text: "twice" });
  });
  const next = inTest((tx) => add(tx).run({ isDone: false, text: "b" }));
  await expect(failed).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_PRIMARYKEY" });
  await next;
  expect(texts()).toEqual(["b"]);
});

test("each connection prepares a query for itself", async () => {
  const other = openDatabase(IN_MEMORY, systemClock);
  other.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, is_done INTEGER, text TEXT) STRICT");
  other.exec("INSERT INTO notes VALUES (1, 0, 'of the other')");
  expect(await noteById(db).get({ id: 1 })).toBeUndefined();
  expect(await noteById(other).get({ id: 1 })).toMatchObject({ text: "of the other" });
  other.close();
});

test("an error of a query names its statement", async () => {
  db.exec("DROP TABLE notes");
  const error = await Promise.resolve()
    .then(() => noteById(db).get({ id: 1 }))
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ cause: { sql: expect.stringContaining('from "notes"') } });
});
