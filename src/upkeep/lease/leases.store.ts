import { and, eq, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { change, query } from "../../db/statement.ts";
import { transaction } from "../../db/transaction.ts";

/** Work that a single process does for all. */
export const leases = sqliteTable("leases", {
  name: text("name").$type<"upkeep">().primaryKey(),
  /** The process that holds it; null if none does. */
  owner: text("owner"),
  /** Time of that process's last heartbeat. */
  heartbeatAt: integer("heartbeat_at").notNull(),
});

export type Lease = typeof leases.$inferSelect;

const NAME = "upkeep";

interface Taken {
  owner: string;
  now: number;
  /** As it was found. */
  from: string | null;
  heartbeatAt: Lease["heartbeatAt"];
}

export const selectLease = query((db) => db.select().from(leases).where(eq(leases.name, NAME))).one;

const take = change((db, { owner, now, from, heartbeatAt }: Taken) =>
  db
    .update(leases)
    .set({ owner, heartbeatAt: now })
    .where(
      and(
        eq(leases.name, NAME),
        sql`${leases.owner} IS ${from}`,
        eq(leases.heartbeatAt, heartbeatAt),
      ),
    ),
).wrote;

const beat = change((db, { owner, now }: { owner: string; now: number }) =>
  db
    .update(leases)
    .set({ heartbeatAt: now })
    .where(and(eq(leases.name, NAME), eq(leases.owner, owner))),
).wrote;

const leave = change((db, { owner }: { owner: string }) =>
  db
    .update(leases)
    .set({ owner: null })
    .where(and(eq(leases.name, NAME), eq(leases.owner, owner))),
).wrote;

/** Changes of the lease, one transaction each; each returns false if another process holds it by now. */
export const leaseChanges = {
  /** Takes the lease, unless it has changed since it was found free. */
  takeLease: transaction("lease", (tx, clock, owner: string, { owner: from, heartbeatAt }: Lease) =>
    take(tx, { owner, now: clock.now(), from, heartbeatAt }),
  ),

  beatLease: transaction("lease", (tx, clock, owner: string) =>
    beat(tx, { owner, now: clock.now() }),
  ),

  leaveLease: transaction("lease", (tx, _clock, owner: string) => leave(tx, { owner })),
};
