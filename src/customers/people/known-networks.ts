import { createHmac } from "node:crypto";
import { type Database, statement } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../ports/clock.ts";

/**
 * Networks from which a person signed in before. There the person is not shut out while others guess the
 * password elsewhere. They are kept as keyed hashes, which tell nobody where people live.
 */

const DAY_MS = 24 * 60 * 60 * 1000;
const KNOWN_MS = 180 * DAY_MS;
/** The latest networks of a person are kept, this many. */
const KNOWN_MAX = 20;

/** @param network such as `192.0.2.1` or `2001:db8:1:2::/64` */
export function networkHash(key: string, network: string): Buffer {
  return createHmac("sha256", key).update(network).digest();
}

/** An address that nobody has takes the same look-ups, so that the time tells nothing. */
export function isKnownNetwork(
  db: Database,
  nowMs: number,
  { email, network }: { email: string; network: Buffer },
): boolean {
  const found = statement<{ isKnown: number }>(
    db,
    `SELECT EXISTS (
       SELECT 1 FROM known_networks
       WHERE person_id = coalesce((SELECT id FROM people WHERE email = ?), '')
         AND network = ? AND signed_in_at > ?) AS isKnown`,
  ).get(email.toLowerCase(), network, nowMs - KNOWN_MS);
  return found?.isKnown === 1;
}

/** Notes that somebody signed in from a network; it is written once a day at the most. */
export async function noteNetwork(
  db: Database,
  clock: Clock,
  { personId, network }: { personId: string; network: Buffer },
): Promise<void> {
  const nowMs = clock.now();
  const noted = statement<{ at: number }>(
    db,
    "SELECT signed_in_at AS at FROM known_networks WHERE person_id = ? AND network = ?",
  ).get(personId, network);
  if (noted !== undefined && nowMs - noted.at < DAY_MS) return;
  await inTransaction(db, clock, "known-network", () => {
    statement(
      db,
      `INSERT INTO known_networks (person_id, network, signed_in_at) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET signed_in_at = excluded.signed_in_at`,
    ).run(personId, network, nowMs);
    statement(
      db,
      `DELETE FROM known_networks WHERE person_id = ? AND (signed_in_at <= ? OR network NOT IN (
         SELECT network FROM known_networks WHERE person_id = ?
         ORDER BY signed_in_at DESC LIMIT ?))`,
    ).run(personId, nowMs - KNOWN_MS, personId, KNOWN_MAX);
  });
}
