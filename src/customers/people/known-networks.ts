import { createHmac } from "node:crypto";
import type { Database } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import {
  type PersonNetwork,
  putNetwork,
  selectPersonByEmail,
  selectSignedInAt,
} from "./people.store.ts";

/**
 * Networks that a person has signed in from. There the person is not locked out while others guess the
 * password elsewhere. They are stored as keyed hashes, which do not reveal where people live.
 */

/** Days for which a network is known after the last sign-in, and the most per person: the latest. */
export const KNOWN_DAYS = 180;
export const KNOWN_MAX = 20;
const KNOWN_MS = KNOWN_DAYS * DAY_MS;

/** @param network such as `192.0.2.1` or `2001:db8:1:2::/64` */
export function networkHash(key: string, network: string): Buffer {
  return createHmac("sha256", key).update(network).digest();
}

/** An unknown address takes the same lookups, so that timing reveals nothing. */
export async function isKnownNetwork(
  db: Database,
  nowMs: number,
  { email, network }: { email: string; network: Buffer },
): Promise<boolean> {
  const person = await selectPersonByEmail(db, { email: email.toLowerCase() });
  const notedAt = await selectSignedInAt(db, { personId: person?.id ?? "", network });
  return notedAt !== null && notedAt > nowMs - KNOWN_MS;
}

/** Records that somebody signed in from a network; written at most once a day. */
export async function noteNetwork(db: Database, clock: Clock, place: PersonNetwork): Promise<void> {
  const nowMs = clock.now();
  const notedAt = await selectSignedInAt(db, place);
  if (notedAt !== null && nowMs - notedAt < DAY_MS) return;
  await inTransaction(db, clock, "known-network", (tx) =>
    putNetwork(tx, { ...place, signedInAt: nowMs }),
  );
}
