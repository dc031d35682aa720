import { inEnglish, type Message, message, verbatim } from "../../../values/messages/messages.ts";

/**
 * Outcomes without an answer, as shown to the receiver's owner. A refused address is reported as
 * unreachable, so that the private network cannot be explored through it.
 */
export const OUTCOMES = {
  timeout: message("receiverTimeout"),
  unreachable: message("receiverUnreachable"),
  certificate: message("receiverCertificate"),
  broken: message("receiverBroken"),
  unresolved: message("receiverUnresolved"),
  unsigned: message("attemptUnsigned"),
};

export function answered(status: number): Message {
  return message("receiverAnswered", { status });
}

/**
 * Finds the message of an attempt's stored outcome. Outcomes are stored in the API's words, which the API
 * shows unchanged; pages in other languages translate the message. Text that no message of this version has
 * is kept.
 */
export function outcomeOf(stored: string): Message {
  return BY_WORDS.get(stored) ?? verbatim(stored);
}

const STATUSES = Array.from({ length: 900 }, (_, at) => 100 + at);

const BY_WORDS: ReadonlyMap<string, Message> = new Map(
  [...Object.values(OUTCOMES), ...STATUSES.map(answered)].map((said) => [inEnglish(said), said]),
);
