import type { Language } from "../../../values/language.ts";
import { en } from "./en.ts";
import { ru } from "./ru.ts";

/** All texts of the site in one language. */
export type Words = typeof en;

export { LANGUAGES, type Language, languageOf } from "../../../values/language.ts";

export const WORDS: Record<Language, Words> = { en, ru };
