import type { Database } from "../../../db/database.ts";
import { notFound } from "../../../errors.ts";

/** Identifies a webhook by its owner: an organization, or the operator (null). */
export interface OwnWebhook {
  organizationId: number | null;
  id: number;
}

/** Identifies a webhook or an alert within an organization; another organization's is not found. */
export interface OwnItem {
  organizationId: number;
  id: number;
}

/** Finds an organization's item; it throws `not_found` for another organization's too. */
export function ownItem<Item extends { organizationId: number | null }>(
  thing: "alert" | "webhook",
  select: (db: Database, by: { id: number }) => Promise<Item | undefined>,
) {
  return async (db: Database, { organizationId, id }: OwnWebhook): Promise<Item> => {
    const item = await select(db, { id });
    if (item?.organizationId !== organizationId) throw notFound(thing);
    return item;
  };
}
