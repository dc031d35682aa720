/** The languages of pages. The first is the default. */
export const LANGUAGES = ["en", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Cookie that stores a visitor's choice. */
export const LANGUAGE_COOKIE = "kanalog.language";

/** The visitor's choice, otherwise the first supported language in `Accept-Language`. */
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
  return preferred ?? LANGUAGES[0];
}
