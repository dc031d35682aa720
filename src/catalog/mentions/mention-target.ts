import type { ChannelReference } from "../channels/channel-reference.ts";

/**
 * The name by which a post mentions a channel, as one text: a handle in small letters, `c/` and the
 * messenger's id, or `#` and a service number. No handle has a slash or a number sign.
 */
export type MentionTarget = string;

const targetOfHandle = (handle: string): MentionTarget => handle.toLowerCase();
export const targetOfMessengerId = (id: string): MentionTarget => `c/${id}`;
export const targetOfNumber = (id: number): MentionTarget => `#${id}`;

/** Null for what names no channel. */
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

/** The reference that a target was made of. */
export function referenceOf(target: MentionTarget): ChannelReference {
  if (target.startsWith("#")) return { kind: "id", id: Number(target.slice(1)) };
  return target.startsWith("c/")
    ? { kind: "messengerId", messengerId: target.slice(2) }
    : { kind: "handle", handle: target };
}
