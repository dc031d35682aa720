import { inEnglish, type Message, message, verbatim } from "../../../values/messages/messages.ts";

/**
 * Outcomes without an HTTP status, as the webhook's owner sees them. A refused address is reported as
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

/** The outcome of an answer with a status other than 2xx. */
export function answered(status: number): Message {
  return message("receiverAnswered", { status });
}

/**
 * Message of an attempt's stored outcome. Outcomes are stored as English text, which the API shows
 * unchanged; pages in other languages translate the message. Text that is no message of this version is
 * kept.
 */
export function outcomeOf(stored: string): Message {
  return BY_TEXT.get(stored) ?? verbatim(stored);
}

/** Every status of three digits. */
const STATUSES = Array.from({ length: 900 }, (_, at) => 100 + at);

const BY_TEXT: ReadonlyMap<string, Message> = new Map(
  [...Object.values(OUTCOMES), ...STATUSES.map(answered)].map((outcome) => [
    inEnglish(outcome),
    outcome,
  ]),
);
