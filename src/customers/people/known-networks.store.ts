import { and, desc, eq, lte, notInArray, or, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { change, query } from "../../db/query.ts";
import { knownNetworks } from "./people.table.ts";

/** A person, and a network from which they signed in, as a keyed hash. */
export interface PersonNetwork {
  personId: string;
  network: Buffer;
}

const signedInAt = query((db) =>
  db
    .select({ at: knownNetworks.signedInAt })
    .from(knownNetworks)
    .where(
      and(
        eq(knownNetworks.personId, sql.placeholder("personId")),
        eq(knownNetworks.network, sql.placeholder("network")),
      ),
    ),
);

/** The last time that was noted; null where there is none. */
export async function selectSignedInAt(db: Database, place: PersonNetwork): Promise<number | null> {
  return (await signedInAt(db).get({ ...place }))?.at ?? null;
}

const put = change((db) =>
  db
    .insert(knownNetworks)
    .values({
      personId: sql.placeholder("personId"),
      network: sql.placeholder("network"),
      signedInAt: sql.placeholder("at"),
    })
    .onConflictDoUpdate({
      target: [knownNetworks.personId, knownNetworks.network],
      set: { signedInAt: sql`excluded.signed_in_at` },
    }),
);

export async function putNetwork(tx: Transaction, place: PersonNetwork, at: number): Promise<void> {
  await put(tx).run({ ...place, at });
}

const prune = change((db) => {
  const latest = db
    .select({ network: knownNetworks.network })
    .from(knownNetworks)
    .where(eq(knownNetworks.personId, sql.placeholder("personId")))
    .orderBy(desc(knownNetworks.signedInAt))
    .limit(sql.placeholder("kept"));
  return db
    .delete(knownNetworks)
    .where(
      and(
        eq(knownNetworks.personId, sql.placeholder("personId")),
        or(
          lte(knownNetworks.signedInAt, sql.placeholder("until")),
          notInArray(knownNetworks.network, latest),
        ),
      ),
    );
});

/** Removes a person's networks of that time and before, and those that are not among the latest. */
export async function pruneNetworks(
  tx: Transaction,
  input: { personId: string; until: number; kept: number },
): Promise<void> {
  await prune(tx).run(input);
}
