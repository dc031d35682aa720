import { type Message, message } from "../../values/messages/messages.ts";

/** An answer of a messenger's API that is none. */
export interface BotFault {
  failure: Message;
  /** The answer's status; null where there was none. */
  status: number | null;
  /** The API asks not to be asked for so long; null where it says nothing. */
  retryAfterMs: number | null;
}

const DESCRIPTION_LENGTH_MAX = 200;

/** A refusal in the messenger's own words. */
export function refused(status: number, description: unknown): Message {
  const text = typeof description === "string" ? description : "";
  return message("botRefused", { status, description: text.slice(0, DESCRIPTION_LENGTH_MAX) });
}

/** A wait that an answer's body names in seconds; null where it names none. */
export function waitOf(seconds: unknown): number | null {
  return typeof seconds === "number" && seconds >= 0 ? seconds * 1000 : null;
}
