import type { ChannelReference } from "../channels/channel-reference.ts";

/**
 * The name by which a post mentions a channel, as one text: a lower-case handle, `c/` and the messenger id,
 * or `#` and a service number. Handles contain neither slashes nor number signs.
 */
export type MentionTarget = string;

const targetOfHandle = (handle: string): MentionTarget => handle.toLowerCase();
export const targetOfMessengerId = (id: string): MentionTarget => `c/${id}`;
export const targetOfNumber = (id: number): MentionTarget => `#${id}`;

/** The text for a reference; null if it names no channel. */
export function targetOf(reference: ChannelReference | null): MentionTarget | null {
  switch (reference?.kind) {
    case "id":
      return targetOfNumber(reference.id);
    case "handle":
      return targetOfHandle(reference.handle);
    case "messengerId":
      return targetOfMessengerId(reference.messengerId);
    default:
      return null;
  }
}

/** Reverses `targetOf`. */
export function referenceOf(target: MentionTarget): ChannelReference {
  if (target.startsWith("#")) return { kind: "id", id: Number(target.slice(1)) };
  return target.startsWith("c/")
    ? { kind: "messengerId", messengerId: target.slice(2) }
    : { kind: "handle", handle: target };
}
