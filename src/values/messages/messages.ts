import en from "../../words/en/messages.json";
import ru from "../../words/ru/messages.json";
import { type Fill, fillOf, type NameIn, signatureOf, type ValuesIn } from "./texts.ts";

/** The messages in each language of pages. A mail to somebody of unknown language has all, the last one first. */
export const MESSAGES = { en, ru } satisfies Record<string, Pick<typeof en, "audit" | "texts">>;
export type Language = keyof typeof MESSAGES;
export const LANGUAGES = Object.keys(MESSAGES) as Language[];

export const LANGUAGE_COOKIE = "kanalog.language";

/** The visitor's choice, otherwise the first supported language in `Accept-Language`, otherwise English. */
export function languageOf(chosen: string | undefined, accepted: string | null): Language {
  const supported = LANGUAGES.find((language) => language === chosen);
  if (supported !== undefined) return supported;
  const preferred = (accepted ?? "")
    .split(",")
    .map((item) => {
      const [tag = "", quality] = item.trim().split(/\s*;\s*q=/i);
      return { language: tag.split("-")[0]?.toLowerCase(), quality: Number(quality ?? 1) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ language }) => LANGUAGES.find((one) => one === language))
    .find((language) => language !== undefined);
  return preferred ?? "en";
}

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
