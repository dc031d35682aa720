import type { Database, Transaction } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { transaction } from "../../db/transaction.ts";
import { AppError, fieldError, notFound } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import type { Member } from "../accounts/accounts.table.ts";
import { requiredName } from "../accounts/accounts.ts";
import { type Actor, recordChange } from "../audit/audit-log.ts";
import {
  deleteSavedList,
  insertSavedList,
  selectSavedLists,
  updateSavedListName,
} from "./saved-lists.store.ts";
import type { SavedList } from "./saved-lists.table.ts";

/** A page shows all of them beside the presets. */
const LISTS_MAX = 30;
const QUERY_LENGTH_MAX = 2_000;

export type Owner = Pick<Member, "id" | "organizationId">;

/**
 * Saves a search under a name.
 * @throws AppError `invalid` on `name` and `query`, `conflict` if the member has as many as there may be, or a
 * list of the same search
 */
const addSavedList = transaction(
  "saved-list",
  async (
    tx,
    clock,
    { owner, name: given, query }: { owner: Owner; name: string; query: string },
    by: Actor,
  ) => {
    const name = requiredName(given);
    if (query.length > QUERY_LENGTH_MAX) {
      throw fieldError({ query: [message("tooLong", { characters: QUERY_LENGTH_MAX })] });
    }
    const lists = selectSavedLists(tx, { memberId: owner.id });
    if (lists.length >= LISTS_MAX) {
      throw new AppError("conflict", message("savedListsFull", { max: LISTS_MAX }));
    }
    requireFree(name, lists);
    const same = lists.find((list) => list.query === query);
    if (same !== undefined) {
      throw new AppError("conflict", message("savedListSame", { name: same.name }));
    }
    const row = { memberId: owner.id, name, query, createdAt: clock.now() };
    const list = (await insertSavedList(tx, row)) as SavedList;
    await recordChange(tx, clock, by, ofList("create", owner, list.id, name));
    return list;
  },
);

/** @throws AppError `invalid` on `name`, `not_found`, also for another member's list */
const renameSavedList = transaction(
  "saved-list",
  async (
    tx,
    clock,
    { owner, id, name: given }: { owner: Owner; id: number; name: string },
    by: Actor,
  ) => {
    const name = requiredName(given);
    const { found, others } = ownList(tx, owner, id);
    if (name === found.name) return found;
    requireFree(name, others);
    await updateSavedListName(tx, { id, name });
    await recordChange(tx, clock, by, ofList("rename", owner, id, name));
    return { ...found, name };
  },
);

/** @throws AppError `not_found`, also for another member's list */
const removeSavedList = transaction(
  "saved-list",
  async (tx, clock, { owner, id }: { owner: Owner; id: number }, by: Actor) => {
    const { found } = ownList(tx, owner, id);
    await deleteSavedList(tx, { id });
    await recordChange(tx, clock, by, ofList("delete", owner, id, found.name));
  },
);

export const savedListChanges = { addSavedList, renameSavedList, removeSavedList };

export type SavedLists = ReturnType<typeof createSavedLists>;

/**
 * Members' saved searches of the catalog. Each is its member's own, so that everybody may save without asking
 * and nobody's is renamed by others; a colleague is sent the page's address, which has the same filters.
 */
export function createSavedLists(db: Database, changes: Calls<typeof savedListChanges>) {
  return {
    of: (memberId: number): SavedList[] => selectSavedLists(db, { memberId }),
    /** @throws AppError `not_found`, also for another member's list */
    get: ({ owner, id }: { owner: Owner; id: number }): SavedList => ownList(db, owner, id).found,
    add: changes.addSavedList,
    rename: changes.renameSavedList,
    remove: changes.removeSavedList,
  };
}

function ownList(db: Database | Transaction, owner: Owner, id: number) {
  const lists = selectSavedLists(db, { memberId: owner.id });
  const found = lists.find((list) => list.id === id);
  if (found === undefined) throw notFound("object");
  return { found, others: lists.filter((list) => list !== found) };
}

function requireFree(name: string, lists: readonly SavedList[]): void {
  if (lists.some((list) => list.name === name)) {
    throw fieldError({ name: [message("savedListNamed")] });
  }
}

function ofList(verb: "create" | "rename" | "delete", owner: Owner, id: number, name: string) {
  const { organizationId } = owner;
  return { organizationId, action: `saved-list.${verb}` as const, id, details: { name } };
}
