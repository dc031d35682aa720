import { and, eq, sql } from "drizzle-orm";
import { change, query } from "../../db/query.ts";
import { knownNetworks } from "./people.table.ts";

/** A person and a network they signed in from, as a keyed hash. */
export interface PersonNetwork {
  personId: string;
  network: Buffer;
}

export const selectSignedInAt = query((db, { personId, network }: PersonNetwork) =>
  db
    .select({ at: knownNetworks.signedInAt })
    .from(knownNetworks)
    .where(and(eq(knownNetworks.personId, personId), eq(knownNetworks.network, network))),
).value;

export const putNetwork = change(
  (db, { personId, network, signedInAt }: PersonNetwork & { signedInAt: number }) =>
    db
      .insert(knownNetworks)
      .values({ personId, network, signedInAt })
      .onConflictDoUpdate({
        target: [knownNetworks.personId, knownNetworks.network],
        set: { signedInAt: sql`excluded.signed_in_at` },
      }),
).run;
