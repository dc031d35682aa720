/** @jsxImportSource hono/jsx */
import type { Period } from "../../../../customers/accounts/plan.ts";
import { quotaEnd } from "../../../../customers/limits/forecast.ts";
import { DayOf, Instant, shownNumber } from "../../look/shown.tsx";
import { useVisit } from "../../visit/use-visit.ts";

/** How much of the period's quota has been used, as a bar, and when it will end at this pace. */
export function QuotaCard({ period, quota }: { period: Period & { used: number }; quota: number }) {
  const { words: common, nowMs } = useVisit();
  const words = common.overviewPage;
  const { used, endsAt } = period;
  const end = quotaEnd(period, quota, nowMs);
  const share = new Intl.NumberFormat(common.locale, { style: "percent" });
  return (
    <li class={typeof end === "number" ? "main warning" : "main"}>
      {common.remaining}
      <strong>{shownNumber(Math.max(0, quota - used))}</strong>
      {common.of} {shownNumber(quota)}
      <progress id="units-used" value={Math.min(used, quota)} max={quota} />
      <label for="units-used">
        {common.used}: {shownNumber(used)} ({share.format(quota === 0 ? 1 : used / quota)})
      </label>
      <small>
        {end === "lasts" && words.lasts}
        {typeof end === "number" && used < quota && (
          <>
            {words.ends} <DayOf at={end} />.
          </>
        )}
        {used >= quota && (
          <>
            {words.over} <Instant at={endsAt} />.
          </>
        )}
      </small>
    </li>
  );
}
