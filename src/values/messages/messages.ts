import { LANGUAGES, type Language, MESSAGES } from "../language.ts";
import { en } from "./en.ts";

/**
 * A message is a code with values: code that finds a fault chooses the code, and the doors translate it. It
 * is plain data, which can cross threads and be stored in the database.
 */
export type Message = { [Code in MessageCode]: { code: Code; values: Values<Code> } }[MessageCode];

export type MessageCode = keyof typeof en;

/** The values that a code takes; most take none. */
type Values<Code extends MessageCode> = (typeof en)[Code] extends (values: infer V) => string
  ? V
  : Record<never, never>;

/** All messages in one language. */
export type Messages = {
  readonly [Code in MessageCode]: string | ((values: Values<Code>) => string);
};

type ValuesGiven<Code extends MessageCode> = (typeof en)[Code] extends string
  ? []
  : [values: Values<Code>];

/** Builds a message, with exactly the values that its code takes. */
export function message<Code extends MessageCode>(
  code: Code,
  ...[values]: ValuesGiven<Code>
): Message {
  return { code, values: values ?? {} } as Message;
}

/** A message whose text is already fixed, in whatever language. */
export function verbatim(text: string): Message {
  return message("verbatim", { text });
}

/** The text for the API, commands and the log. */
export function inEnglish(message: Message): string {
  return inLanguage("en", message);
}

export function inLanguage(language: Language, { code, values }: Message): string {
  const messages: Messages = MESSAGES[language];
  const words = messages[code];
  return typeof words === "string" ? words : words(values as never);
}

/** The text for a mail, in every language, since the reader's is unknown; English comes last. */
export function inEveryLanguage(message: Message): { language: Language; text: string }[] {
  return LANGUAGES.toReversed().map((language) => ({
    language,
    text: inLanguage(language, message),
  }));
}

/** A stored message: old versions stored text, and a newer version may have stored an unknown code. */
export function storedMessage(stored: Message | string): Message {
  if (typeof stored === "string") return verbatim(stored);
  return Object.hasOwn(en, stored.code) ? stored : verbatim(stored.code);
}
