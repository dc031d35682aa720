import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import type { Database } from "../../../db/database.ts";
import { AppError, fieldError } from "../../../errors.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import type { Target, TargetGuard } from "../../../values/network/target-guard.ts";
import { unknownChannels } from "./webhooks.store.ts";

const NOT_INCLUDED = { webhooks: "webhooksNotIncluded", alerts: "alertsNotIncluded" } as const;
type Limited = keyof typeof NOT_INCLUDED;

/** Why the plan has no room for one more webhook or alert; null if it does. */
export function limitReached(of: Limited, plan: Plan, existing: number): Message | null {
  const included = plan[of];
  if (existing < included) return null;
  return message(NOT_INCLUDED[of], { plan: plan.code, included, existing });
}

/** @throws AppError `tariff_required` if the plan has no room for one more beside the others */
export function requireRoom(of: Limited, plan: Plan, others: number): void {
  const denial = limitReached(of, plan, others);
  if (denial !== null) throw new AppError("tariff_required", denial);
}

/** @throws AppError `tariff_required` if an enabled webhook watches more channels than the plan allows */
export function requireFew({ code, webhookChannels }: Plan, channels: number): void {
  if (channels <= webhookChannels) return;
  const values = { plan: code, included: webhookChannels, channels };
  throw new AppError("tariff_required", message("webhookChannelsNotIncluded", values));
}

/** Most numbers to list in a message. */
const NAMED_MAX = 100;

/** @throws AppError `invalid` on `channels` if a webhook may not watch them */
export async function requireChannels(db: Database, plan: Plan, channels: number[]): Promise<void> {
  const faults = await channelFaults(db, plan, channels);
  if (faults.length > 0) throw fieldError({ channels: faults });
}

/** Why a webhook may not watch these channels: too many, or not all public; empty if it may. */
export async function channelFaults(
  db: Database,
  { webhookChannels }: Plan,
  channels: readonly number[],
): Promise<Message[]> {
  if (channels.length > webhookChannels) {
    const rest = named(channels.slice(webhookChannels));
    return [message("tooManyChannels", { max: webhookChannels, ...rest })];
  }
  const unknown = await unknownChannels(db, channels);
  return unknown.length === 0 ? [] : [message("unknownChannels", named(unknown))];
}

/** The numbers as a message lists them. */
function named(numbers: readonly number[]): { channels: number[]; more: number } {
  return {
    channels: numbers.slice(0, NAMED_MAX),
    more: Math.max(0, numbers.length - NAMED_MAX),
  };
}

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
