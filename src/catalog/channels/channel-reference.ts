import { message } from "../../values/messages/messages.ts";
import { type Column, column, isRounded, withoutZeros } from "../fields/columns.ts";

/**
 * How people refer to a channel: a messenger link, an `@handle`, the messenger's own id, or the service
 * number.
 */
export type ChannelReference =
  | { kind: "id"; id: number }
  | { kind: "handle"; handle: string }
  /** The id in its canonical form (messenger-id.ts). */
  | { kind: "messengerId"; messengerId: string }
  /** Well-formed, but cannot refer to a channel here: an invitation, or a link to another site. */
  | { kind: "nothing" };

const HANDLE = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const INVITE_WORDS = ["joinchat", "join", "addlist"];
/** Path segments that precede a handle: the pages of its posts and of its boosts. */
const HANDLE_FOLLOWS = ["s", "boost"];
/** Telegram's other forms of links are recognized if this is one of the messenger's hosts. */
const TELEGRAM = "t.me";

/** Whether text is a handle without `@`; digits alone would be a service number. */
export function isHandle(text: string): boolean {
  return HANDLE.test(text) && !/^\d+$/.test(text);
}

/** Parses the path's `{channel}`: digits are a service number, anything else is a handle. */
export function parsePathReference(text: string): ChannelReference {
  if (/^\d+$/.test(text)) {
    const id = Number(text);
    return Number.isSafeInteger(id) ? { kind: "id", id } : { kind: "nothing" };
  }
  return isHandle(text) ? { kind: "handle", handle: text } : { kind: "nothing" };
}

/**
 * Parses a messenger link or an `@handle`; null for any other text.
 * @param hosts the messenger's hosts, in lower case
 */
export function parseLinkOrHandle(text: string, hosts: readonly string[]): ChannelReference | null {
  if (text.startsWith("@")) return handleReference(text.slice(1));
  const telegram = hosts.includes(TELEGRAM) ? parseTelegramLink(text) : null;
  if (telegram !== null) return telegram;
  const match = /^(?:https?:\/\/)?(?:www\.)?([^/?#]+)\/([^?#]*)/i.exec(text);
  if (match === null) return null;
  const host = (match[1] ?? "").toLowerCase();
  if (!hosts.includes(host) && !hosts.includes(withoutUsualPort(host))) return null;
  return parseSegments((match[2] ?? "").split("/").filter((segment) => segment !== ""));
}

/**
 * A link by messenger id, as exports and other programs' formats write it for channels of any messenger.
 */
const BY_ID = /^https:\/\/t\.me\/c\/(-?\d+)$/;

/** A link to a channel whose messenger id is known, but no handle; undefined without an id. */
export function linkById(messengerId: unknown): string | undefined {
  return messengerId == null ? undefined : `https://t.me/c/${messengerId}`;
}

/**
 * Parses a channel's name in a file: what `parseLinkOrHandle` takes, or a link as `linkById` writes it,
 * even if `t.me` is not one of the messenger's hosts; null for any other text.
 */
export function parseNamed(text: string, hosts: readonly string[]): ChannelReference | null {
  const byId = BY_ID.exec(text)?.[1];
  return byId === undefined ? parseLinkOrHandle(text, hosts) : messengerIdReference(byId);
}

/** The number of the post that a link is to: `t.me/name/5`, `t.me/c/777/5`; null for any other text. */
export function postOfLink(text: string, hosts: readonly string[]): string | null {
  const kind = parseLinkOrHandle(text, hosts)?.kind ?? "nothing";
  const [path = ""] = text.split(/[?#]/, 1);
  const post = /\/(?:c\/-?\d+|(?!c\/|boost\/)[^/]+)(?:\/\d+)?\/(\d{1,18})\/?$/.exec(path);
  return kind === "nothing" ? null : (post?.[1] ?? null);
}

function parseSegments([first = "", second]: readonly string[]): ChannelReference {
  const word = first.toLowerCase();
  if (second === undefined) return handleReference(first.replace(/^@/, ""));
  if (HANDLE_FOLLOWS.includes(word)) return handleReference(second);
  if (INVITE_WORDS.includes(word)) return { kind: "nothing" };
  // A post of a private channel: https://t.me/c/<messenger id>/<post>.
  if (word === "c") return messengerIdReference(second) ?? { kind: "nothing" };
  return handleReference(first.replace(/^@/, ""));
}

/** Parses `tg://resolve?domain=h`, `h.t.me` or `web.telegram.org/k/#@h`; null for any other text. */
function parseTelegramLink(text: string): ChannelReference | null {
  const domain = /^tg:(?:\/\/)?resolve\/?\?(?:[^#]*&)?domain=([^&#]*)/i.exec(text)?.[1];
  if (domain !== undefined) return handleReference(domain);
  const [, given = "", rest = ""] = /^(?:https?:\/\/)?(?:www\.)?([^/?#]+)(.*)$/i.exec(text) ?? [];
  const host = withoutUsualPort(given.toLowerCase());
  if (host === "web.telegram.org") {
    return handleReference(/^[^#]*#@([^?&/]*)/.exec(rest)?.[1] ?? "");
  }
  const name = host.endsWith(`.${TELEGRAM}`) ? host.slice(0, -TELEGRAM.length - 1) : "";
  return /^\w+$/.test(name) ? handleReference(name) : null;
}

function withoutUsualPort(host: string): string {
  return host.replace(/:(?:80|443)$/, "");
}

/** Parses the query of `resolve`: a link, an `@handle` or a messenger id; null for any other text. */
export function parseResolveQuery(text: string, hosts: readonly string[]): ChannelReference | null {
  if (/^-?\d+$/.test(text)) return messengerIdReference(text);
  return parseLinkOrHandle(text, hosts) ?? (isHandle(text) ? handleReference(text) : null);
}

function handleReference(handle: string): ChannelReference {
  return isHandle(handle) ? { kind: "handle", handle } : { kind: "nothing" };
}

function messengerIdReference(text: string): ChannelReference | null {
  const messengerId = parseMessengerId(text);
  return messengerId === null ? null : { kind: "messengerId", messengerId };
}

/**
 * Messenger ids of channels are 64-bit integers, which JavaScript numbers cannot hold, so they are texts of
 * digits everywhere except in the database.
 */

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Telegram also writes channel N as -10^12 - N, which looks like a prefix -100. Its largest N is 10^12 -
 * 2^31.
 */
const PREFIX = -(10n ** 12n);
const PREFIXED_MIN = PREFIX - (10n ** 12n - 2n ** 31n);

/**
 * The canonical form of a messenger id, which for Telegram is the one without the prefix; null if the text
 * is not a 64-bit integer.
 */
export function parseMessengerId(text: string): string | null {
  if (!/^[+-]?\d{1,40}$/.test(text)) return null;
  const given = BigInt(text.replace("+", ""));
  const id = given < PREFIX && given >= PREFIXED_MIN ? PREFIX - given : given;
  return id < INT64_MIN || id > INT64_MAX ? null : String(id);
}

/** A messenger id in a file: digits, or a JSON number that is exact. */
export function messengerIdColumn(): Column<string> {
  return column((given) => {
    if (isRounded(given)) return { fault: message("giveAsString") };
    const isText = typeof given === "string" || typeof given === "number";
    const value = isText ? parseMessengerId(withoutZeros(String(given).trim())) : null;
    return value === null ? { fault: message("notMessengerId") } : { value };
  });
}

export const CHANNEL_KINDS = ["channel", "chat"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];
