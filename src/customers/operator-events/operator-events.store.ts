import { asc, lte } from "drizzle-orm";
import type { Transaction } from "../../db/database.ts";
import { change, query } from "../../db/statement.ts";
import { type OperatorEvent, operatorEvents } from "./operator-events.table.ts";

/** What each event says about its subject. */
interface EventFacts {
  "organization.created": { organization: Named; plan: string };
  "member.joined": { organization: Named; member: { id: number; email: string; role: string } };
  "quota.reached": { organization: Named; quota: number; period_ends_at: string };
  "plan.ending": { organization: Named; plan: string; plan_ends_at: string };
  "plan.ended": { organization: Named; plan: string; plan_ends_at: string };
  "upgrade.requested": {
    organization: Named;
    plan: string;
    requested_plan: string;
    note: string;
    person: string;
  };
  "webhook.disabled": {
    organization: Named;
    disabled_webhook: { id: number; url: string; last_error: string };
  };
  "source.read": { source: Named; rows: number; rejected: number; lag_seconds: number | null };
  "source.failed": { source: Named; error: string };
  "source.silent": { source: Named; last_success_at: string; last_error: string };
  "import.finished": {
    import: Record<"id" | "read" | "inserted" | "updated" | "rejected", number> &
      Record<"kind" | "file" | "error", string>;
  };
  "backup.failed": { folder: string; reason: string };
}

interface Named {
  id: number;
  name: string;
}

type NewEvent = Omit<typeof operatorEvents.$inferSelect, "id">;

const add = change((db, { event, facts, createdAt }: NewEvent) =>
  db.insert(operatorEvents).values({ event, facts, createdAt }),
).run;

/** Tells the operator's addresses of an event, in the transaction that causes it. */
export async function tellOperator<Event extends OperatorEvent>(
  tx: Transaction,
  createdAt: number,
  event: Event,
  facts: EventFacts[Event],
): Promise<void> {
  await add(tx, { event, facts, createdAt });
}

/** An organization or a source as events name it. */
export function named({ id, name }: Named): Named {
  return { id, name };
}

/** Events that are not deliveries yet, oldest first. */
export const selectEvents = query((db, { limit }: { limit: number }) =>
  db.select().from(operatorEvents).orderBy(asc(operatorEvents.id)).limit(limit),
).all;

export const deleteEvents = change((db, { until }: { until: number }) =>
  db.delete(operatorEvents).where(lte(operatorEvents.id, until)),
).run;
