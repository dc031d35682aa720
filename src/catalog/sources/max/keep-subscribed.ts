import type { Batch } from "../batch-rows.ts";
import type { BotFault } from "../bot-fault.ts";
import type { Pushes } from "../bot-messenger.ts";
import type { SourcePosition } from "../sources.table.ts";
import type { MaxApi } from "./max-api.ts";

const NOT_FOUND = 404;

/**
 * Ends the subscription of an address that is no longer used, stores the present address, and checks
 * whether MAX still has its subscription, since it ends those whose pushes fail for hours. The address is
 * stored before the caller subscribes, so that no subscription is forgotten.
 * @returns the position with the address, and whether the caller must subscribe
 */
export async function keepSubscribed(
  given: SourcePosition,
  {
    api,
    apply,
    pushes,
  }: {
    api: MaxApi;
    apply(batch: Batch, position: SourcePosition): Promise<boolean>;
    pushes: Pushes | null;
  },
): Promise<{ position: SourcePosition; isMissing: boolean } | BotFault> {
  const { subscribed, wholeAt, ...unsubscribed } = given;
  if (subscribed !== undefined && subscribed !== pushes?.url) {
    const ended = await api.unsubscribe(subscribed);
    if ("failure" in ended && ended.status !== NOT_FOUND) return ended;
    await apply({}, unsubscribed);
  }
  if (pushes === null) return { position: unsubscribed, isMissing: false };
  const position = {
    ...unsubscribed,
    ...(wholeAt !== undefined && { wholeAt }),
    subscribed: pushes.url,
  };
  if (subscribed !== pushes.url) await apply({}, position);
  const listed = await api.subscriptions();
  if ("failure" in listed) return listed;
  return { position, isMissing: !(subscribed === pushes.url && listed.urls.includes(pushes.url)) };
}
