/** @jsxImportSource hono/jsx */
import { parseDay, parseInstant, startOfDay } from "../../../values/moscow-time.ts";
import { DayOf, Instant } from "./shown.tsx";

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
