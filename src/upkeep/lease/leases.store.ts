import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { change, eqParam, param, query } from "../../db/query.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Lease, leases } from "./leases.table.ts";

const NAME = "upkeep";

const lease = query((db) => db.select().from(leases).where(eq(leases.name, NAME)));

export function selectLease(db: Database): Promise<Lease | undefined> {
  return lease(db).get();
}

const take = change((db) =>
  db
    .update(leases)
    .set({ owner: param("owner"), heartbeatAt: param("now") })
    .where(
      and(
        eq(leases.name, NAME),
        sql`${leases.owner} IS ${param("from")}`,
        eqParam(leases.heartbeatAt, "heartbeatAt"),
      ),
    ),
);

const beat = change((db) =>
  db
    .update(leases)
    .set({ heartbeatAt: param("now") })
    .where(and(eq(leases.name, NAME), eqParam(leases.owner, "owner"))),
);

const leave = change((db) =>
  db
    .update(leases)
    .set({ owner: null })
    .where(and(eq(leases.name, NAME), eqParam(leases.owner, "owner"))),
);

const isChanged = async (done: Promise<{ changes: number }>): Promise<boolean> =>
  (await done).changes > 0;

/** Changes of the lease, one transaction each; each returns false if another process holds it by now. */
export const leaseChanges = {
  /** Takes the lease, unless it has changed since it was found free. */
  takeLease: (
    db: Database,
    clock: Clock,
    owner: string,
    { owner: from, heartbeatAt }: Lease,
  ): Promise<boolean> =>
    inTransaction(db, clock, "lease", (tx) =>
      isChanged(take(tx).run({ owner, now: clock.now(), from, heartbeatAt })),
    ),

  beatLease: (db: Database, clock: Clock, owner: string): Promise<boolean> =>
    inTransaction(db, clock, "lease", (tx) => isChanged(beat(tx).run({ owner, now: clock.now() }))),

  leaveLease: (db: Database, clock: Clock, owner: string): Promise<boolean> =>
    inTransaction(db, clock, "lease", (tx) => isChanged(leave(tx).run({ owner }))),
};
