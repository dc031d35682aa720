import type { Language } from "./words.ts";

/** The domains' messages about fields, as they write them, and in Russian. */
const IN_RUSSIAN: readonly [pattern: RegExp, russian: string][] = [
  [/^This field (?:is required|may not be blank)\.$/, "Это поле нужно заполнить."],
  [/^Enter a valid email address\.$/, "Введите адрес электронной почты."],
  [/^Control characters are not allowed\.$/, "Управляющие символы не допускаются."],
  [/^Ensure this field has no more than (\d+) characters\.$/, "Не больше $1 знаков."],
  [/^Ensure this field has at least (\d+) characters\.$/, "Не меньше $1 знаков."],
  [/^The day is over already\.$/, "Этот день уже прошёл."],
  [/^(.+) is a member of this organization already\.$/, "$1 уже состоит в этой организации."],
  [/^Enter a whole number from (\d+) to (\d+)\.$/, "Введите целое число от $1 до $2."],
];

/** Messages in a language; one that is not known here stays as it is. */
export function faultsIn(language: Language, messages: readonly string[]): string {
  if (language === "en") return messages.join(" ");
  return messages.map(inRussian).join(" ");
}

function inRussian(message: string): string {
  const known = IN_RUSSIAN.find(([pattern]) => pattern.test(message));
  return known === undefined ? message : message.replace(known[0], known[1]);
}
