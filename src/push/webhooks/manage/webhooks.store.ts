import {
  and,
  asc,
  count,
  eq,
  getTableColumns,
  gt,
  isNotNull,
  isNull,
  lte,
  ne,
  or,
  sql,
} from "drizzle-orm";
import { type Database, statement, type Transaction } from "../../../db/database.ts";
import { change, query } from "../../../db/statement.ts";
import { lastNumberOf, restartAlerts } from "../alerts/alerts.store.ts";
import { dropRest } from "../delivery/deliveries.store.ts";
import type { CustomersWebhook, DisabledReason, Webhook } from "./webhooks.table.ts";
import { manualAttempts, webhookLists, webhooks } from "./webhooks.table.ts";

export const selectWebhook = query((db, { id }: { id: number }) =>
  db.select().from(webhooks).where(eq(webhooks.id, id)),
).one;

/** An organization's webhooks, or all customers', by number. */
export async function selectWebhooks(
  db: Database,
  organizationId: number | null,
): Promise<CustomersWebhook[]> {
  const whose =
    organizationId === null
      ? isNotNull(webhooks.organizationId)
      : eq(webhooks.organizationId, organizationId);
  const found = await db.builders.select().from(webhooks).where(whose).orderBy(asc(webhooks.id));
  return found as CustomersWebhook[];
}

/** Which customers' webhooks a list wants: those after a number, of one organization or all. */
export interface WebhooksPart {
  organizationId: number | null;
  areDisabled: boolean;
  after: number;
  limit: number;
}

/** A webhook as lists show it, with how many channels it watches. */
export type ListedWebhook = Omit<CustomersWebhook, "secret" | "formerSecret"> & {
  channels: number;
};

export function findWebhooks(
  db: Database,
  { organizationId, areDisabled, after, limit }: WebhooksPart,
): ListedWebhook[] {
  const { secret: _, formerSecret: __, ...shown } = getTableColumns(webhooks);
  const channels = sql<number>`coalesce(json_array_length(${webhookLists.channels}), 0)`;
  const found = db.builders
    .select({ ...shown, channels })
    .from(webhooks)
    .leftJoin(webhookLists, eq(webhookLists.webhookId, webhooks.id))
    .where(
      and(
        organizationId === null
          ? isNotNull(webhooks.organizationId)
          : eq(webhooks.organizationId, organizationId),
        areDisabled ? ne(webhooks.disabledReason, "") : undefined,
        gt(webhooks.id, after),
      ),
    )
    .orderBy(asc(webhooks.id))
    .limit(limit)
    .all();
  return found as ListedWebhook[];
}

/** The operator's own webhooks, by number. */
export const selectOperatorWebhooks = query((db) =>
  db.select().from(webhooks).where(isNull(webhooks.organizationId)).orderBy(asc(webhooks.id)),
).all;

const watching = {
  ...getTableColumns(webhooks),
  channels: sql<number[]>`coalesce(${webhookLists.channels}, '[]')`.mapWith(webhookLists.channels),
};
export const selectWatching = query((db, { id }: { id: number }) =>
  db
    .select(watching)
    .from(webhooks)
    .leftJoin(webhookLists, eq(webhookLists.webhookId, webhooks.id))
    .where(eq(webhooks.id, id)),
).one;

/** An organization's webhooks with numbers above `after`, ascending. */
export const selectWatchingPage = query(
  (
    db,
    { organizationId, after, limit }: { organizationId: number; after: number; limit: number },
  ) =>
    db
      .select(watching)
      .from(webhooks)
      .leftJoin(webhookLists, eq(webhookLists.webhookId, webhooks.id))
      .where(and(eq(webhooks.organizationId, organizationId), gt(webhooks.id, after)))
      .orderBy(asc(webhooks.id))
      .limit(limit),
).all;

export const countWebhooks = query((db, { organizationId }: { organizationId: number }) =>
  db
    .select({ webhooks: count() })
    .from(webhooks)
    .where(eq(webhooks.organizationId, organizationId)),
).count;

export const anyWebhook = query((db) => db.select({ id: webhooks.id }).from(webhooks).limit(1)).any;

export async function insertWebhook(
  tx: Transaction,
  row: Pick<Webhook, "organizationId" | "url" | "secret" | "createdAt">,
): Promise<number> {
  const values = {
    ...row,
    updatedAt: row.createdAt,
    disabledReason: "",
    sinceSequence: lastSequence(tx),
    downMs: 0,
    lastError: "",
  } as const;
  const [made] = await tx.builders.insert(webhooks).values(values).returning({ id: webhooks.id });
  return (made as { id: number }).id;
}

export async function updateWebhook(
  tx: Transaction,
  id: number,
  values: Partial<Webhook>,
): Promise<void> {
  await tx.builders.update(webhooks).set(values).where(eq(webhooks.id, id));
}

/** Deletes a webhook with everything that belongs to it. @returns whether it existed */
export const deleteWebhook = change((db, { id }: { id: number }) =>
  db.delete(webhooks).where(eq(webhooks.id, id)),
).wrote;

/** Those of the numbers that no public channel has. Raw SQL, because there may be thousands. */
export async function unknownChannels(
  db: Database,
  channels: readonly number[],
): Promise<number[]> {
  return statement<{ id: number }>(
    db,
    `SELECT given.value AS id FROM json_each(?) given
     WHERE NOT EXISTS (SELECT 1 FROM channels WHERE id = given.value AND is_public = 1)`,
  )
    .all(JSON.stringify(channels))
    .map(({ id }) => id);
}

/** Sequence of the last post queued: later ones are new. */
function lastSequence(db: Database): number {
  return lastNumberOf(db, "read_posts");
}

/** Disables a webhook: nothing more is attempted. The caller must empty its queue after the commit. */
export async function disable(
  tx: Transaction,
  id: number,
  reason: DisabledReason,
  nowMs: number,
): Promise<void> {
  await updateWebhook(tx, id, { disabledReason: reason, failingSince: null, updatedAt: nowMs });
}

/**
 * Enables a webhook, for posts read from now on. The caller must have emptied its queue, which may take
 * long.
 */
export async function enable(tx: Transaction, id: number, nowMs: number): Promise<void> {
  await updateWebhook(tx, id, { disabledReason: "", updatedAt: nowMs });
  await restart(tx, id);
}

/** Forgets pending deliveries and failures: only posts read from now on are sent. */
async function restart(tx: Transaction, id: number): Promise<void> {
  await dropRest(tx, id);
  const sinceSequence = lastSequence(tx);
  await updateWebhook(tx, id, { sinceSequence, failingSince: null, downMs: 0 });
  await restartAlerts(tx, id);
}

/** Lets an organization's webhooks start afresh, in the transaction that entitles it to events again. */
export async function resumeWebhooks(tx: Transaction, organizationId: number): Promise<void> {
  for (const { id } of await selectWebhooks(tx, organizationId)) await restart(tx, id);
}

/** Attempts of one organization at one host are counted together. */
interface OfHost {
  organizationId: number;
  host: string;
}

/** Removes attempts made until `from`, or after now. */
export const deleteOutdated = change((db, { from, nowMs }: { from: number; nowMs: number }) =>
  db
    .delete(manualAttempts)
    .where(or(lte(manualAttempts.attemptedAt, from), gt(manualAttempts.attemptedAt, nowMs))),
).run;

/** When an organization's attempts at a host were made, oldest first. */
export const selectInstants = query((db, { organizationId, host }: OfHost) =>
  db
    .select({ at: manualAttempts.attemptedAt })
    .from(manualAttempts)
    .where(and(eq(manualAttempts.organizationId, organizationId), eq(manualAttempts.host, host)))
    .orderBy(asc(manualAttempts.attemptedAt)),
).values;

export const insertManualAttempt = change(
  (db, { organizationId, host, attemptedAt }: OfHost & { attemptedAt: number }) =>
    db.insert(manualAttempts).values({ organizationId, host, attemptedAt }),
).run;
