import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import type { Database } from "../../../db/database.ts";
import { fieldError } from "../../../errors.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import type { TargetGuard } from "../../../values/resolve-target.ts";
import type { Target } from "../../../values/target-guard.ts";
import { channelFaults } from "./webhook-limits.ts";

/** An address as it was given, and as it was read. */
export interface GivenTarget {
  url: string;
  target: Target;
}

/** How long finding the addresses of a name may take while its webhook is made or changed. */
const RESOLVE_MAX_MS = 5_000;
/** The one message for a name that does not exist and for one of a private network. */
const REFUSED = message("addressRefused");

/** Why an address cannot be taken. */
export async function addressFaults(
  guard: TargetGuard,
  { target }: GivenTarget,
): Promise<Message[]> {
  const resolution = await guard(target, RESOLVE_MAX_MS);
  // A name server that does not answer is nobody's mistake, and each attempt is guarded anyway.
  return resolution.ok || resolution.reason === "unresolved" ? [] : [REFUSED];
}

/** @throws AppError `invalid` on `url`, and then on `channels` too */
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
