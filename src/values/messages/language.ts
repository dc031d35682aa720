import en from "../../words/en/messages.json";
import ru from "../../words/ru/messages.json";

/** The messages in each language of pages. Mails contain all languages, the last one first. */
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
