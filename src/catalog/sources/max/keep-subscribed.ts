import type { Batch } from "../batch-rows.ts";
import type { BotFault } from "../bot-fault.ts";
import type { Pushes } from "../bot-messenger.ts";
import type { SourcePosition } from "../sources.table.ts";
import type { MaxApi } from "./max-api.ts";

const NOT_FOUND = 404;

/**
 * Subscribes to MAX's pushes, or unsubscribes: MAX itself ends subscriptions whose pushes fail for hours.
 * The address is stored before subscribing, so that no subscription is forgotten.
 * @returns the position with the address, and whether a subscription must be made
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
  const { subscribed, wholeAt, ...asked } = given;
  if (subscribed !== undefined && subscribed !== pushes?.url) {
    const ended = await api.unsubscribe(subscribed);
    if ("failure" in ended && ended.status !== NOT_FOUND) return ended;
    await apply({}, asked);
  }
  if (pushes === null) return { position: asked, isMissing: false };
  const position = { ...asked, ...(wholeAt !== undefined && { wholeAt }), subscribed: pushes.url };
  if (subscribed !== pushes.url) await apply({}, position);
  const there = await api.subscriptions();
  if ("failure" in there) return there;
  return { position, isMissing: !(subscribed === pushes.url && there.urls.includes(pushes.url)) };
}
