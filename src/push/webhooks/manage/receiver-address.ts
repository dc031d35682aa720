import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import type { Database } from "../../../db/database.ts";
import { fieldError } from "../../../errors.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import type { TargetGuard } from "../../../values/resolve-target.ts";
import type { Target } from "../../../values/target-guard.ts";
import { channelFaults } from "./webhook-limits.ts";

/** The address of a webhook's receiver, as given and parsed. */
export interface ReceiverAddress {
  /** As given. */
  url: string;
  target: Target;
}

/** Limit for resolving a name while its webhook is being created or changed. */
const RESOLVE_MAX_MS = 5_000;
/** One message for names that do not exist and for private networks, which cannot be explored that way. */
const REFUSED = message("addressRefused");

/** Why an address is not acceptable; empty if it is. */
export async function addressFaults(
  guard: TargetGuard,
  { target }: ReceiverAddress,
): Promise<Message[]> {
  const resolution = await guard(target, RESOLVE_MAX_MS);
  // A name server's failure is nobody's mistake, and every attempt is checked anyway.
  return resolution.ok || resolution.reason === "unresolved" ? [] : [REFUSED];
}

/**
 * Requires that an address is acceptable.
 * @throws AppError `invalid` on `url`; then also on `channels`, to report all faults at once
 */
export async function requireAcceptable(
  db: Database,
  guard: TargetGuard,
  address: ReceiverAddress,
  plan: Plan,
  channels: readonly number[],
): Promise<void> {
  const url = await addressFaults(guard, address);
  if (url.length === 0) return;
  const ofChannels = await channelFaults(db, plan, channels);
  throw fieldError({ url, ...(ofChannels.length > 0 && { channels: ofChannels }) });
}
