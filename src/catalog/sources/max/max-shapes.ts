import { isObject } from "../../../values/json-text.ts";

/**
 * The parts of MAX's Bot API that are read, according to its published description of July 2026 (0.0.32).
 * Responses are parsed by `parseExact`: an integer beyond 2^53 is a bigint.
 */

/** A 64-bit integer. */
type Long = number | bigint;

/** The parts of `Chat` that are read. */
export interface Chat {
  chat_id: Long;
  type: string;
  /** `active` while the bot is a member. */
  status: string;
  title: string | null;
  icon?: { url?: string } | null;
  participants_count: number;
  is_public?: boolean;
  link?: string | null;
  description?: string | null;
}

/** The parts of `MessageBody` that are read. */
export interface Body {
  mid: string;
  text?: string | null;
  /** Formatted parts of the text. */
  markup?: unknown;
  attachments?: readonly { type: string }[] | null;
}

/** The parts of `Message` that are read. */
export interface Message {
  recipient?: { chat_id?: Long | null; chat_type?: string };
  /** Milliseconds since 1970. */
  timestamp: number;
  link?: {
    type?: string;
    sender?: { name?: string; first_name?: string } | null;
    chat_id?: Long | null;
    message?: Partial<Body>;
  } | null;
  body: Body;
  /** Only posts of channels have it. */
  stat?: { views?: number } | null;
  url?: string | null;
}

/** The parts of `ChatMember` that are read, for the bot itself. */
export interface Membership {
  is_admin?: boolean;
  is_owner?: boolean;
  permissions?: readonly string[] | null;
}

/** Digits of a 64-bit integer; null for anything else. */
export function digitsOf(value: unknown): string | null {
  if (typeof value === "bigint") return String(value);
  return typeof value === "number" && Number.isSafeInteger(value) ? String(value) : null;
}

/** Whether it looks like a message with a time. The body is null if it only forwards another message. */
export function isTimed(value: unknown): value is { timestamp: number; body?: unknown } {
  return isObject(value) && Number.isSafeInteger(value["timestamp"]);
}

/** Whether it can be read as a post: without a body, a message has no id. */
export function isMessage(value: unknown): value is Message {
  return isTimed(value) && isObject(value.body) && typeof value.body["mid"] === "string";
}

export function isChat(value: unknown): value is Chat {
  return (
    isObject(value) &&
    digitsOf(value["chat_id"]) !== null &&
    typeof value["type"] === "string" &&
    typeof value["status"] === "string"
  );
}
