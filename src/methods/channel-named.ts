import { parsePathReference } from "../catalog/channels/channel-reference.ts";
import type { Services } from "./services.ts";

/** The number of the public channel that a number, handle or link names; null where there is none. */
export function channelNamed(
  name: string,
  channels: Pick<Services["channels"], "findId" | "parseLinkOrHandle">,
): number | null {
  return channels.findId(channels.parseLinkOrHandle(name) ?? parsePathReference(name));
}
