import type { Transaction } from "../../../db/database.ts";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { readTargetUrl } from "../../../values/target-guard.ts";
import { deleteOutdated, insertManualAttempt, selectInstants } from "./manual-limit.store.ts";

/** Pings and resends per minute of one organization to one host, which may be somebody else's server. */
const OF_HOST_MAX = 6;
const OF_HOST_MS = 60_000;

/**
 * Counts a ping or resend of an organization to a webhook's host, in the caller's transaction. By host
 * rather than webhook, because webhooks can be deleted and created again.
 * @param url the webhook's address
 * @throws AppError `throttled` if the last minute had its maximum
 */
export async function takeManualAttempt(
  tx: Transaction,
  { organizationId, url }: { organizationId: number | null; url: string },
  nowMs: number,
): Promise<void> {
  // The operator's own servers need no protection from the operator.
  if (organizationId === null) return;
  const target = readTargetUrl(url);
  const host = "value" in target ? target.value.host : "";
  // Attempts in the future were made before the clock was set back.
  await deleteOutdated(tx, { from: nowMs - OF_HOST_MS, nowMs });
  const taken = await selectInstants(tx, { organizationId, host });
  const [first] = taken;
  if (first !== undefined && taken.length >= OF_HOST_MAX) {
    const refusal = message("hostHadEnough", { attempts: OF_HOST_MAX });
    const waitMs = first + OF_HOST_MS - nowMs;
    throw new AppError("throttled", refusal, { retryAfterS: Math.ceil(waitMs / 1000) });
  }
  await insertManualAttempt(tx, { organizationId, host, attemptedAt: nowMs });
}
