/**
 * The ways in which people name a channel (decisions, section 3): a link of the messenger, an
 * `@handle`, the messenger's own id, the service number.
 */
export type ChannelReference =
  | { kind: "id"; id: number }
  | { kind: "handle"; handle: string }
  | { kind: "messengerId"; messengerId: number }
  /** Well-formed, but names no channel that could be served: an invite, a foreign link. */
  | { kind: "nothing" };

const HANDLE = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const INVITE_WORDS = new Set(["joinchat", "join", "addlist", "c"]);

/** A handle without its `@`; digits alone would be taken for a service number. */
export function isHandle(text: string): boolean {
  return HANDLE.test(text) && !/^\d+$/.test(text);
}

/** The `{channel}` of a path: digits are the service number, all else a handle. */
export function parsePathReference(text: string): ChannelReference {
  if (/^\d+$/.test(text)) {
    const id = Number(text);
    return Number.isSafeInteger(id) ? { kind: "id", id } : { kind: "nothing" };
  }
  return isHandle(text) ? { kind: "handle", handle: text } : { kind: "nothing" };
}

/**
 * A link of the messenger or an `@handle`, or null for any other text.
 * @param hosts the messenger's hosts, in lower case
 */
export function parseLinkOrHandle(text: string, hosts: readonly string[]): ChannelReference | null {
  if (text.startsWith("@")) return handleReference(text.slice(1));
  const match = /^(?:https?:\/\/)?(?:www\.)?([^/?#]+)\/([^?#]*)/i.exec(text);
  if (match === null || !hosts.includes((match[1] ?? "").toLowerCase())) return null;
  const segments = (match[2] ?? "").split("/").filter((segment) => segment !== "");
  const [first = "", second] = segments;
  if (first === "s" && second !== undefined) return handleReference(second);
  if (INVITE_WORDS.has(first.toLowerCase()) && second !== undefined) return { kind: "nothing" };
  return handleReference(first.startsWith("@") ? first.slice(1) : first);
}

/** Reads the query of `resolve`: a link, an `@handle` or a messenger id; null for any other text. */
export function parseResolveQuery(text: string, hosts: readonly string[]): ChannelReference | null {
  if (/^-?\d+$/.test(text)) {
    const messengerId = Number(text);
    return Number.isSafeInteger(messengerId) ? { kind: "messengerId", messengerId } : null;
  }
  return parseLinkOrHandle(text, hosts) ?? (isHandle(text) ? handleReference(text) : null);
}

function handleReference(handle: string): ChannelReference {
  return isHandle(handle) ? { kind: "handle", handle } : { kind: "nothing" };
}
