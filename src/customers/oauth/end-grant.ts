import type { Transaction } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { revokeRecorded } from "../keys/key-changes.ts";
import type { Key } from "../keys/keys.table.ts";

/**
 * Revokes a grant's key, once, with a reason for the audit log.
 * @param reason the client revoked it; or a code or refresh token was used again, and so may have been
 * stolen
 */
export async function endGrant(
  tx: Transaction,
  clock: Clock,
  { key, member }: { key: Key; member: { email: string } },
  reason: "client" | "replay",
): Promise<void> {
  await revokeRecorded(tx, clock, key.id, { person: member.email, keyId: key.id }, { reason });
}
