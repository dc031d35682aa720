import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import type { Database } from "../../../db/database.ts";
import { AppError, fieldError } from "../../../errors.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
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
