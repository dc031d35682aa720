import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import type { Database } from "../../../db/database.ts";
import { fieldError } from "../../../errors.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import type { TargetGuard } from "../../../values/resolve-target.ts";
import type { Target } from "../../../values/target-guard.ts";
import { channelFaults } from "./webhook-limits.ts";

/** An address as given, and parsed. */
export interface GivenTarget {
  url: string;
  target: Target;
}

/** Limit for resolving a name while its webhook is being created or changed. */
const RESOLVE_MAX_MS = 5_000;
/** The same message for a name that does not exist and one in a private network. */
const REFUSED = message("addressRefused");

/** Why an address is not acceptable. */
export async function addressFaults(
  guard: TargetGuard,
  { target }: GivenTarget,
): Promise<Message[]> {
  const resolution = await guard(target, RESOLVE_MAX_MS);
  // A name server's failure is nobody's mistake, and every attempt is checked anyway.
  return resolution.ok || resolution.reason === "unresolved" ? [] : [REFUSED];
}

/** @throws AppError `invalid` on `url`, and in that case on `channels` as well */
export async function requireAcceptable(
  db: Database,
  guard: TargetGuard,
  given: GivenTarget,
  plan: Plan,
  channels: readonly number[],
): Promise<void> {
  const url = await addressFaults(guard, given);
  if (url.length === 0) return;
  const ofChannels = await channelFaults(db, plan, channels);
  throw fieldError({ url, ...(ofChannels.length > 0 && { channels: ofChannels }) });
}
