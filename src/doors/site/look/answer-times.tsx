/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { parseDay, parseInstant, startOfDay } from "../../../values/moscow-time.ts";
import type { Visit } from "../visit/visit.ts";
import { DayOf, Instant } from "./shown.tsx";

/** An instant from an API answer, on one line; a dash for none. */
export function Moment({ visit, at }: { visit: Visit; at: string | null }): JSX.Element {
  return (
    <span class="moment">
      <Instant visit={visit} at={at === null ? null : parseInstant(at)} />
    </span>
  );
}

/** @param day `YYYY-MM-DD`, from an API answer */
export function DayText({ visit, day }: { visit: Visit; day: string }): JSX.Element {
  const known = parseDay(day);
  return <DayOf visit={visit} at={known === null ? null : startOfDay(known)} />;
}
