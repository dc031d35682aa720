import { type Message, message } from "../../values/messages/messages.ts";

/** Why a messenger's API gave no usable answer. */
export interface BotFault {
  failure: Message;
  status: number | null;
  /** How long the API asks to wait; null if it does not say. */
  retryAfterMs: number | null;
}

const DESCRIPTION_LENGTH_MAX = 200;

/** A refusal in the messenger's own words. */
export function refused(status: number, description: unknown): Message {
  const text = typeof description === "string" ? description : "";
  const answer = `${status} ${text.slice(0, DESCRIPTION_LENGTH_MAX)}`.trimEnd();
  return message("botRefused", { answer });
}

/** A wait given in seconds in a response body; null if there is none. */
export function waitOf(seconds: unknown): number | null {
  return typeof seconds === "number" && seconds >= 0 ? seconds * 1000 : null;
}
