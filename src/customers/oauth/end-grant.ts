import type { Transaction } from "../../db/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { recordChange } from "../audit/audit-log.ts";
import { updateRevoked } from "../keys/keys.store.ts";
import type { Key } from "../keys/keys.table.ts";

/**
 * Revokes a grant's key, once, with a reason for the audit log.
 * @param reason the client revoked it; or a code or refresh token was used again, and so may have been
 * stolen
 */
export async function endGrant(
  tx: Transaction,
  clock: Clock,
  { key, member }: { key: Key; member: { email: string; organizationId: number } },
  reason: "client" | "replay",
): Promise<void> {
  if (key.revokedAt !== null) return;
  const { id, name, prefix } = key;
  await updateRevoked(tx, id, clock.now());
  const by = { person: member.email, keyId: id };
  await recordChange(tx, clock, by, {
    organizationId: member.organizationId,
    action: "key.revoke",
    id,
    details: { name, prefix, reason },
  });
}
