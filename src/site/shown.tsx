/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import { dayOf, formatDay, formatInstant, MOSCOW_ZONE } from "../moscow-time.ts";
import type { Visit } from "./visit.ts";
import type { Language } from "./words/words.ts";

/** How instants, days, numbers and wide tables are shown. */

/** English with days before months and 24 hours, as they are counted in Moscow. */
const LOCALES: Record<Language, string> = { en: "en-GB", ru: "ru-RU" };

/** An instant to the minute, in Moscow time; a dash for none. */
export function Instant({ visit, at }: { visit: Visit; at: number | null }): JSX.Element {
  if (at === null) return <>—</>;
  const format = new Intl.DateTimeFormat(LOCALES[visit.language], {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: MOSCOW_ZONE,
  });
  return <time datetime={formatInstant(at)}>{format.format(at)}</time>;
}

/** The Moscow day of an instant; a dash for none. */
export function DayOf({ visit, at }: { visit: Visit; at: number | null }): JSX.Element {
  if (at === null) return <>—</>;
  const format = new Intl.DateTimeFormat(LOCALES[visit.language], {
    dateStyle: "medium",
    timeZone: MOSCOW_ZONE,
  });
  return <time datetime={formatDay(dayOf(at))}>{format.format(at)}</time>;
}

/** The last day before an instant at which something ends. */
export function LastDayBefore({ visit, at }: { visit: Visit; at: number | null }): JSX.Element {
  return <DayOf visit={visit} at={at === null ? null : at - 1} />;
}

export function shownNumber({ language }: Visit, value: number): string {
  return new Intl.NumberFormat(LOCALES[language]).format(value);
}

/** What may be wider than a phone: it scrolls by itself, by the keyboard too. */
export function Scroll({ label, children }: { label: string; children: Child }): JSX.Element {
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** A secret, command or file, with a button that copies it where there is a script. */
export function Snippet({
  text,
  label,
  words,
}: {
  text: string;
  /** What it is, for those who do not see it beside its heading. */
  label: string;
  words: { copy: string; copied: string };
}): JSX.Element {
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
