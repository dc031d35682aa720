import {
  type ChannelReference,
  parsePathReference,
} from "../catalog/channels/channel-reference.ts";
import type { FieldFaults } from "../errors.ts";
import { readText, shortened } from "../values/fields.ts";
import { type Message, message } from "../values/messages/messages.ts";
import { textSchema } from "../values/schema.ts";
import { inPath, parameter } from "./parameters.ts";
import type { Services } from "./services.ts";

/** `{channel}` in a path: the service number, or the handle in any case. */
export const channelPath = inPath<ChannelReference>(
  parameter(
    textSchema({
      description:
        "Service number (`id`) of the channel, or its handle; a link goes to " +
        "msgr_channels_resolve_retrieve.",
      examples: ["nsmag"],
    }),
    (given) => {
      const text = readText(given);
      return "fault" in text ? text : { value: parsePathReference(text.value) };
    },
  ),
);

type Named = Pick<Services["channels"], "findId" | "parseLinkOrHandle">;

/** Number of the public channel that a number, handle or link refers to; null if there is none. */
export function channelNamed(name: string, channels: Named): number | null {
  return channels.findId(channels.parseLinkOrHandle(name) ?? parsePathReference(name));
}

/** As `channelNamed`, for an optional filter. An unknown channel is added to the faults. */
export function readChannel(
  name: string | undefined,
  channels: Named,
  faults: FieldFaults,
): number | null {
  if (name === undefined) return null;
  const id = channelNamed(name.trim(), channels);
  if (id === null) faults["channel"] = [unknownChannel(name)];
  return id;
}

export function unknownChannel(name: string): Message {
  return message("noChannel", { channel: shortened(name) });
}
