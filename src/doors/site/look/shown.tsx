/** @jsxImportSource hono/jsx */
import { inLanguage, type Message } from "../../../values/messages/messages.ts";
import {
  dayOf,
  formatDay,
  formatInstant,
  MOSCOW_ZONE,
  parseDay,
  parseInstant,
  startOfDay,
} from "../../../values/moscow-time.ts";
import { useVisit } from "../visit/visit.ts";

/** Instants, days and numbers as pages show them, and text to copy. */

interface TimeProps<At = number> {
  at: At | null;
  /** Shown instead of a time; by default a dash. */
  none?: string;
}

/** An instant to the minute or second, in Moscow time. */
export function Instant({
  at,
  none = "—",
  withSeconds = false,
}: TimeProps & { withSeconds?: boolean }) {
  if (at === null) return <>{none}</>;
  const format = dateFormat(useVisit().words.locale, {
    dateStyle: "medium",
    timeStyle: withSeconds ? "medium" : "short",
    timeZone: MOSCOW_ZONE,
  });
  return <time datetime={formatInstant(at)}>{format.format(at)}</time>;
}

/** The Moscow day of an instant. */
export function DayOf({
  at,
  none = "—",
  withoutYear = false,
}: TimeProps & {
  /** For a date shown beside another that names the year. */
  withoutYear?: boolean;
}) {
  if (at === null) return <>{none}</>;
  const format = dateFormat(useVisit().words.locale, {
    ...(withoutYear ? { day: "numeric", month: "short" } : { dateStyle: "medium" }),
    timeZone: MOSCOW_ZONE,
  });
  return <time datetime={formatDay(dayOf(at))}>{format.format(at)}</time>;
}

/** Last day of something that ends at an instant. */
export function LastDayBefore({ at, ...none }: TimeProps) {
  return <DayOf at={at === null ? null : at - 1} {...none} />;
}

/** A message in the visitor's language. */
export function told(message: Message): string {
  return inLanguage(useVisit().language, message);
}

export function shownNumber(value: number): string {
  return formatNumber(useVisit().words.locale, value);
}

export function shownBytes(bytes: number): string {
  const { locale, staffPages } = useVisit().words;
  const { units } = staffPages;
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  const format = { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 };
  const text = formatNumber(locale, value, format);
  return `${text} ${units[power]}`;
}

/** A secret, command or file, with a button that copies it, if scripts run. */
export function Snippet({
  text,
  label,
}: {
  text: string;
  /** Label for those who do not see its heading. */
  label: string;
}) {
  const words = useVisit().words.organizationPages;
  return (
    <div class="snippet">
      <pre>
        <code>{text}</code>
      </pre>
      <button type="button" hidden data-copy={text} data-copied={words.copied}>
        {words.copy}
        <span class="hidden"> {label}</span>
      </button>
    </div>
  );
}

/** Matches control characters, and those that change the writing direction of what follows. */
const UNSHOWN = /\p{Bidi_Control}|(?![\t\n\r])\p{Cc}/gu;

/** A text without the characters that pages remove. */
export function withoutUnshown(text: string): string {
  return text.replace(UNSHOWN, "");
}

/** An instant from an API answer, on one line; a dash for none. */
export function Moment({ at, none }: { at: string | null; none?: string }) {
  if (at === null && none !== undefined) return <>{none}</>;
  return (
    <span class="moment">
      <Instant at={at === null ? null : parseInstant(at)} />
    </span>
  );
}

/** @param day `YYYY-MM-DD`, from an API answer */
export function DayText({ day }: { day: string }) {
  const known = parseDay(day);
  return <DayOf at={known === null ? null : startOfDay(known)} />;
}

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
