import { en } from "./en.ts";
import { ru } from "./ru.ts";

/**
 * A message is a code with its values: who finds a fault says which one it is, and the doors say it
 * in the words of a language. It is plain data, which goes between threads and into the database.
 */
export type Message = { [Code in MessageCode]: { code: Code; values: Values<Code> } }[MessageCode];

export type MessageCode = keyof typeof en;

/** What a message tells beside its words; nothing for most. */
type Values<Code extends MessageCode> = (typeof en)[Code] extends (values: infer V) => string
  ? V
  : Record<never, never>;

/** All messages in one language. */
export type Messages = {
  readonly [Code in MessageCode]: string | ((values: Values<Code>) => string);
};

/** Every language, by its code; in mails they come in this order. */
const TABLES = { ru, en } satisfies Record<string, Messages>;

export type Language = keyof typeof TABLES;
export const LANGUAGES = Object.keys(TABLES) as Language[];

type ValuesGiven<Code extends MessageCode> = (typeof en)[Code] extends string
  ? []
  : [values: Values<Code>];

export function message<Code extends MessageCode>(
  code: Code,
  ...[values]: ValuesGiven<Code>
): Message {
  return { code, values: values ?? {} } as Message;
}

export function verbatim(text: string): Message {
  return message("verbatim", { text });
}

/** The words of the API, of commands and of the log. */
export function inEnglish(said: Message): string {
  return inLanguage("en", said);
}

export function inLanguage(language: Language, { code, values }: Message): string {
  const words: string | ((values: never) => string) = TABLES[language][code];
  return typeof words === "string" ? words : words(values as never);
}

/** For who reads it in a mail, since nobody knows which language that is. */
export function inEveryLanguage(said: Message): { language: Language; text: string }[] {
  return LANGUAGES.map((language) => ({ language, text: inLanguage(language, said) }));
}

/** A message as it was stored: by versions before codes as a text, by a later one with any code. */
export function storedMessage(stored: Message | string): Message {
  if (typeof stored === "string") return verbatim(stored);
  return Object.hasOwn(en, stored.code) ? stored : verbatim(stored.code);
}
