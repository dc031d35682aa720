import type { Language } from "./language.ts";

/** A plan's name for people, in every sentence of a language; the API says its code. */
export const PLAN_NAMES: Record<Language, Record<"test" | "start" | "growth" | "profi", string>> = {
  en: { test: "Test", start: "Start", growth: "Growth", profi: "Profi" },
  ru: { test: "Тест", start: "Старт", growth: "Рост", profi: "Профи" },
};

/** The name by a code, as messages have it; a code that is none stays as it is. */
export function planName(language: Language, code: string): string {
  return new Map<string, string>(Object.entries(PLAN_NAMES[language])).get(code) ?? code;
}
