import { asc, eq } from "drizzle-orm";
import { change, query } from "../../db/statement.ts";
import { type SavedList, savedLists } from "./saved-lists.table.ts";

/** A member's lists, by name. */
export const selectSavedLists = query((db, { memberId }: { memberId: number }) =>
  db
    .select()
    .from(savedLists)
    .where(eq(savedLists.memberId, memberId))
    .orderBy(asc(savedLists.name)),
).all;

export const insertSavedList = change(
  (db, { memberId, name, query, createdAt }: Omit<SavedList, "id">) =>
    db.insert(savedLists).values({ memberId, name, query, createdAt }).returning(),
).one;

export const updateSavedListName = change((db, { id, name }: Pick<SavedList, "id" | "name">) =>
  db.update(savedLists).set({ name }).where(eq(savedLists.id, id)),
).run;

export const deleteSavedList = change((db, { id }: Pick<SavedList, "id">) =>
  db.delete(savedLists).where(eq(savedLists.id, id)),
).run;
