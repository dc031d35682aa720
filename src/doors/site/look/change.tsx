/** @jsxImportSource hono/jsx */
import type { Change } from "../../../catalog/metrics/change-over.ts";
import { useVisit } from "../visit/use-visit.ts";
import { formatNumber } from "./formats.ts";

/** How much something grew, signed, and relative to before; a dash if unknown. */
export function ChangeText({ change }: { change: Change | null }) {
  const visit = useVisit();
  if (change === null) return <span class="change">—</span>;
  const { subscribers, part } = change;
  return (
    <span class={`change ${subscribers > 0 ? "up" : subscribers < 0 ? "down" : ""}`}>
      {formatNumber(visit.words.locale, subscribers, { signDisplay: "exceptZero" })}
      {part !== null && ` (${shownPart(part, true)})`}
    </span>
  );
}

/** A metric's growth as a change; null if unknown. @param percent relative to before */
export function changeOf(
  subscribers: number | null | undefined,
  percent: number | null | undefined,
): Change | null {
  if (subscribers === null || subscribers === undefined) return null;
  return { subscribers, part: typeof percent === "number" ? percent / 100 : null };
}

/** A percentage, or a dash if unknown. */
export function shownPercent(percent: number | null | undefined): string {
  return typeof percent === "number" ? shownPart(percent / 100) : "—";
}

/** Below this, one decimal would round to zero, or to twice the value. */
const SMALL_PART = 0.001;

/** A fraction as a percentage with one or two decimals. @param withSign also for positive values */
export function shownPart(part: number, withSign = false): string {
  return formatNumber(useVisit().words.locale, part, {
    style: "percent",
    maximumFractionDigits: Math.abs(part) < SMALL_PART ? 2 : 1,
    signDisplay: withSign ? "exceptZero" : "auto",
  });
}
