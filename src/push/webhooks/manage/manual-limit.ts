import type { Transaction } from "../../../db/database.ts";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import { readTargetUrl } from "../../../values/target-guard.ts";
import { deleteOthers, insertManualAttempt, selectInstants } from "./manual-limit.store.ts";

/**
 * Pings and resends per minute of one organization to one receiving host, whose server may be somebody
 * else's.
 */
const OF_HOST_MAX = 6;
const OF_HOST_MS = 60_000;

/**
 * Takes one of an organization's pings and resends for a host, in the caller's transaction. Counted by
 * host, because webhooks can be deleted and created again.
 * @param url of the webhook
 * @throws AppError `throttled` if the last minute had its maximum
 */
export async function takeManualAttempt(
  tx: Transaction,
  { organizationId, url }: { organizationId: number; url: string },
  nowMs: number,
): Promise<void> {
  const target = readTargetUrl(url);
  const host = "value" in target ? target.value.host : "";
  // Times in the future come from a clock that was set back since.
  await deleteOthers(tx, nowMs - OF_HOST_MS, nowMs);
  const taken = await selectInstants(tx, { organizationId, host });
  const [first] = taken;
  if (first !== undefined && taken.length >= OF_HOST_MAX) {
    const said = message("hostHadEnough", { attempts: OF_HOST_MAX });
    const waitMs = first + OF_HOST_MS - nowMs;
    throw new AppError("throttled", said, { retryAfterS: Math.ceil(waitMs / 1000) });
  }
  await insertManualAttempt(tx, { organizationId, host }, nowMs);
}
