/**
 * Formatters of each language, cached: creating one takes as long as formatting a hundred values, and a
 * page with a year of days has a thousand.
 */
const made = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

/** A number with a minus sign, as in print: the languages of the pages would use a hyphen. */
export function formatNumber(
  locale: string,
  value: number,
  options: Intl.NumberFormatOptions = {},
): string {
  const format = madeOnce(locale, options, () => new Intl.NumberFormat(locale, options));
  return format.format(value).replace("-", "\u2212");
}

export function dateFormat(
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  return madeOnce(locale, options, () => new Intl.DateTimeFormat(locale, options));
}

/** Time until something happens, in words: "in 5 minutes"; minutes are rounded up. */
export function fromNow(locale: string, seconds: number): string {
  const format = new Intl.RelativeTimeFormat(locale);
  return seconds < 90
    ? format.format(seconds, "second")
    : format.format(Math.ceil(seconds / 60), "minute");
}

const INTERVALS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** A duration in the largest unit of which it is a whole number: "15 min". */
export function shownInterval(locale: string, ms: number): string {
  const [unit, length] = INTERVALS.find(([, one]) => ms % one === 0) ?? ["minute", 60_000];
  return formatNumber(locale, ms / length, { style: "unit", unit, unitDisplay: "short" });
}

/** The cache needs no limit: all combinations of options are written in the code, and there are few. */
function madeOnce<Format extends Intl.NumberFormat | Intl.DateTimeFormat>(
  locale: string,
  options: object,
  make: () => Format,
): Format {
  const name = `${locale} ${JSON.stringify(options)}`;
  const known = made.get(name);
  if (known !== undefined) return known as Format;
  const format = make();
  made.set(name, format);
  return format;
}
