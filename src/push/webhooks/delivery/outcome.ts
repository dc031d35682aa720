import { inEnglish, type Message, message, verbatim } from "../../../values/messages/messages.ts";

/**
 * How an attempt came out is stored in the words of the API, which shows them as they are. Pages in
 * other languages find the message that was said so; what no message of this version says stays.
 */
export function outcomeOf(stored: string): Message {
  return OUTCOMES.get(stored) ?? verbatim(stored);
}

const STATUSES = Array.from({ length: 900 }, (_, at) => 100 + at);

const OUTCOMES: ReadonlyMap<string, Message> = new Map(
  [
    message("receiverTimeout"),
    message("receiverUnreachable"),
    message("receiverCertificate"),
    message("receiverBroken"),
    message("receiverUnresolved"),
    message("attemptUnsigned"),
    ...STATUSES.map((status) => message("receiverAnswered", { status })),
  ].map((said) => [inEnglish(said), said]),
);
