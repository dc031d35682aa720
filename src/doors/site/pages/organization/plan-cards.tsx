/** @jsxImportSource hono/jsx */
import { DayOf, Instant, LastDayBefore, shownNumber } from "../../look/shown.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { ownMembership, viewerOf } from "../../visit/viewer.ts";
import { QuotaCard } from "./quota-card.tsx";

/** The organization's plan with its end and period, and the remaining quota. */
export async function PlanCards() {
  const visit = useVisit();
  const context = useSite();
  const { nowMs, words: common } = visit;
  const membership = ownMembership();
  const words = visit.words.organizationPages;
  const viewer = await viewerOf(membership, context.accounts, nowMs);
  const { plan, planInForce } = viewer;
  const { startedAt, endsAt, used } = context.services.limits.usage(viewer, nowMs);
  const quota = plan.requestsPerPeriod;
  const hasEnded = planInForce.endsAt !== null && planInForce.endsAt <= nowMs;
  return (
    <>
      <p>
        {common.organization}: <bdi>{membership.organization.name}</bdi>
      </p>
      {hasEnded && <p class="notice">{words.planEnded}</p>}
      <ul class="cards figures">
        <QuotaCard period={{ startedAt, endsAt, used }} quota={quota} />
        <li>
          {common.plan}
          <strong>{common.planNames[plan.code]}</strong>
          {shownNumber(plan.requestsPerSecond)} {words.perSecond}
          <small>
            {planInForce.endsAt === null ? (
              words.noEnd
            ) : (
              <>
                {common.planEnds}: <LastDayBefore at={planInForce.endsAt} />
              </>
            )}
          </small>
        </li>
        <li>
          {common.period}
          <strong>
            <DayOf at={startedAt} withoutYear />
          </strong>
          {words.lastDay} <Instant at={endsAt} />
        </li>
      </ul>
    </>
  );
}
