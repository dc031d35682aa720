import { linkById } from "../../../channels/channel-reference.ts";

/**
 * Link to a channel by its messenger id, in the form that `forwarded_from` accepts; undefined without an
 * id.
 */
export function channelLink(messengerId: unknown): string | undefined {
  return messengerId == null ? undefined : linkById(String(messengerId));
}
