import type en from "../../words/en/messages.json";
import { LANGUAGES, type Language, MESSAGES } from "./language.ts";
import { type Fill, fillOf, type NameIn, signatureOf, type ValuesIn } from "./texts.ts";

/**
 * A message is a code with values: code that finds a fault chooses the code, and the doors translate it. It
 * is plain data, which can cross threads and be stored in the database.
 */
export type Message = { [Code in MessageCode]: { code: Code; values: Codes[Code] } }[MessageCode];

/** The values that each code takes; most take none. */
type Codes = { [Key in keyof (typeof en)["texts"] as NameIn<Key>]: ValuesIn<Key> };
export type MessageCode = keyof Codes;

/** Things that a request may name and that may not exist. */
export type Thing = keyof (typeof en)["names"]["things"];

type ValuesGiven<Code extends MessageCode> = keyof Codes[Code] extends never
  ? []
  : [values: Codes[Code]];

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
  return FILLS.get(language)?.get(code)?.(values) ?? code;
}

const FILLS = new Map(LANGUAGES.map((language) => [language, fillsOf(language)]));

function fillsOf(language: Language): Map<string, Fill> {
  const { names, texts } = MESSAGES[language];
  const fills = Object.entries(texts).map(([key, text]): [string, Fill] => {
    const { name, takes } = signatureOf(key);
    return [name, takes === null ? () => text : fillOf(text, { language, names })];
  });
  return new Map(fills);
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
  return FILLS.get("en")?.has(stored.code) ? stored : verbatim(stored.code);
}
