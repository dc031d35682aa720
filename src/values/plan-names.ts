import type { Language } from "./language.ts";

/** Plan names for people, the same in every sentence of a language; the API uses the code. */
export const PLAN_NAMES: Record<Language, Record<"test" | "start" | "growth" | "profi", string>> = {
  en: { test: "Test", start: "Start", growth: "Growth", profi: "Profi" },
  ru: { test: "Тест", start: "Старт", growth: "Рост", profi: "Профи" },
};

/** Name of a plan's code, as messages use it; an unknown code is returned as it is. */
export function planName(language: Language, code: string): string {
  return new Map<string, string>(Object.entries(PLAN_NAMES[language])).get(code) ?? code;
}
