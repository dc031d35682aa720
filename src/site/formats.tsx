/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { DAY_MS, formatInstant, MOSCOW_ZONE } from "../moscow-time.ts";
import type { Language } from "./words/words.ts";

const LOCALES: Record<Language, string> = { en: "en-GB", ru: "ru-RU" };

/** An instant in Moscow time, to the minute or second. */
export function Instant({
  at,
  language,
  withSeconds = false,
}: {
  at: number;
  language: Language;
  withSeconds?: boolean;
}): JSX.Element {
  const timeStyle = withSeconds ? "medium" : "short";
  const format = { dateStyle: "medium", timeStyle, timeZone: MOSCOW_ZONE } as const;
  return (
    <time datetime={formatInstant(at)}>
      {new Intl.DateTimeFormat(LOCALES[language], format).format(at)}
    </time>
  );
}

/** The day that ends with an instant, such as a plan's last one. */
export function LastDay({ endsAt, language }: { endsAt: number; language: Language }): JSX.Element {
  const format = { dateStyle: "medium", timeZone: MOSCOW_ZONE } as const;
  return (
    <time datetime={formatInstant(endsAt - DAY_MS).slice(0, 10)}>
      {new Intl.DateTimeFormat(LOCALES[language], format).format(endsAt - 1)}
    </time>
  );
}

export function numberText(value: number, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language]).format(value);
}

/** @param units names of bytes and their thousands */
export function bytesText(bytes: number, units: readonly string[], language: Language): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  const format = { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 };
  const text = new Intl.NumberFormat(LOCALES[language], format).format(value);
  return `${text} ${units[power]}`;
}
