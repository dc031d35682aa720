/** @jsxImportSource hono/jsx */
import { inLanguage, type Message } from "../../../values/messages/messages.ts";
import { dayOf, formatDay, formatInstant, MOSCOW_ZONE } from "../../../values/moscow-time.ts";
import { useVisit } from "../visit/use-visit.ts";
import { dateFormat, formatNumber } from "./formats.ts";

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
