import type { Language } from "../values/language.ts";
import { en } from "./en.ts";
import { ru } from "./ru.ts";

/** All texts of pages in one language: of the site, of `/` and around guides. */
export type Words = typeof en;

export const WORDS: Record<Language, Words> = { en, ru };
