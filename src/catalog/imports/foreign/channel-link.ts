import { linkById } from "../../channels/channel-reference.ts";

/** The link of a channel by its messenger id, as `forwarded_from` takes it; undefined where there is none. */
export function channelLink(messengerId: unknown): string | undefined {
  return messengerId == null ? undefined : linkById(String(messengerId));
}
