import type { Language } from "../language.ts";
import { en } from "./en.ts";
import { ru } from "./ru.ts";

/**
 * A message is a code with its values: who finds a fault says which one it is, and the doors say it
 * in the words of a language. It is plain data, which goes between threads and into the database.
 */
export type Message = { [Code in MessageCode]: { code: Code; values: Values<Code> } }[MessageCode];

export type MessageCode = keyof typeof en;

/** Values that a message tells beside its words; none for most. */
type Values<Code extends MessageCode> = (typeof en)[Code] extends (values: infer V) => string
  ? V
  : Record<never, never>;

/** All messages in one language. */
export type Messages = {
  readonly [Code in MessageCode]: string | ((values: Values<Code>) => string);
};

/** Languages in the order in which mails have them. */
const TABLES: Record<Language, Messages> = { ru, en };

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
  const words = TABLES[language][code];
  return typeof words === "string" ? words : words(values as never);
}

/** For who reads it in a mail, since nobody knows which language that is. */
export function inEveryLanguage(said: Message): { language: Language; text: string }[] {
  const languages = Object.keys(TABLES) as Language[];
  return languages.map((language) => ({ language, text: inLanguage(language, said) }));
}

/** A message as it was stored: by versions before codes as a text, by a later one with any code. */
export function storedMessage(stored: Message | string): Message {
  if (typeof stored === "string") return verbatim(stored);
  return Object.hasOwn(en, stored.code) ? stored : verbatim(stored.code);
}
