import { and, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { allParams, change, eqParam, param, query } from "../../db/query.ts";
import { knownNetworks } from "./people.table.ts";

/** A person and a network they signed in from, as a keyed hash. */
export interface PersonNetwork {
  personId: string;
  network: Buffer;
}

const signedInAt = query((db) =>
  db
    .select({ at: knownNetworks.signedInAt })
    .from(knownNetworks)
    .where(
      and(eqParam(knownNetworks.personId, "personId"), eqParam(knownNetworks.network, "network")),
    ),
);

/** The last recorded sign-in; null if there is none. */
export async function selectSignedInAt(db: Database, place: PersonNetwork): Promise<number | null> {
  return (await signedInAt(db).get({ ...place }))?.at ?? null;
}

const put = change((db) =>
  db
    .insert(knownNetworks)
    .values({ ...allParams("personId", "network"), signedInAt: param("at") })
    .onConflictDoUpdate({
      target: [knownNetworks.personId, knownNetworks.network],
      set: { signedInAt: sql`excluded.signed_in_at` },
    }),
);

export async function putNetwork(tx: Transaction, place: PersonNetwork, at: number): Promise<void> {
  await put(tx).run({ ...place, at });
}
